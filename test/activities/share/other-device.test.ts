// A folder of the drop on a device of its own: its files are claimed by way of a copy, once, and
// whole, wherever a process dies.
import { readFileSync } from 'node:fs';
import { link, mkdtemp, rename as realRename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createNodeShareFs,
  type FileFacts,
  type FsPlace,
  type ShareFs,
} from '../../../activities/share/files/share-fs';
import { openShare } from '../../../activities/share/open-share';
import type { Share } from '../../../activities/share/share';
import { createFaultyFs, DyingFs, fsError } from './faulty-fs';
import {
  changeClaim,
  claimAll,
  createTestBed,
  DEAD,
  SHARE_KEY,
  simpleHasher,
  submitted,
  type TestBed,
} from './share-test-bed';

/** All but the intervals. */
const REAL_TIMERS = [
  'Date',
  'hrtime',
  'performance',
  'nextTick',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setTimeout',
  'clearTimeout',
] as const;

let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});

afterEach(async () => {
  await bed.remove();
});

const isMounted = (place: FsPlace) => /\/drop\/mounted(\/|$)/.test(String(place));

/** What is below drop/mounted is on a device of its own. */
function mounted(fs: ShareFs): ShareFs {
  const between = (one: FsPlace, other: FsPlace) => {
    if (isMounted(one) !== isMounted(other)) throw fsError('EXDEV');
  };
  return {
    ...fs,
    rename: async (from, to) => {
      between(from, to);
      await fs.rename(from, to);
    },
    link: async (from, to) => {
      between(from, to);
      await fs.link(from, to);
    },
    look: async place => toMounted(place, await fs.look(place)),
    copyNew: async (from, to, how) => {
      await fs.copyNew(from, to, { ...how, see: facts => how?.see?.(toMounted(from, facts)) });
    },
  };
}

function toMounted(place: FsPlace, facts: FileFacts): FileFacts {
  if (!isMounted(place)) return facts;
  return { ...facts, device: 77n, identity: `77:${facts.identity.split(':')[1]}` };
}

async function open(fs: ShareFs): Promise<Share> {
  const config = { ...bed.config, abandonedMs: 0 };
  return await openShare(config, {
    hasher: simpleHasher,
    logger: bed.logger,
    fs: mounted(fs),
    key: SHARE_KEY,
  });
}

test('is carried like others', async () => {
  const share = await open(createFaultyFs(() => undefined));
  await bed.drop('mounted/a.pdf', 'a');
  await bed.drop('b.pdf', 'b');
  const { batchId, manifest, notClaimed } = await claimAll(share);
  expect(notClaimed).toEqual([]);
  expect(manifest.files.map(file => [file.path, file.refused])).toEqual([
    ['b.pdf', undefined],
    ['mounted/a.pdf', undefined],
  ]);
  await share.settleUp(batchId, [submitted(0), submitted(1)], { final: true });
  expect(await bed.read(`done/${batchId}/mounted/a.pdf`)).toBe('a');
  expect(await bed.list('drop')).toEqual([]);
});

test('is carried where its inode numbers have proved to be none, also by who takes up its claim', async () => {
  const share = await open(createFaultyFs(() => undefined));
  await bed.drop('mounted/a.pdf', 'a');
  const entry = (await share.look({ path: 'mounted/a.pdf' }))!;
  const { batch, notClaimed } = await share.claim([{ ...entry, identity: '' }]);
  expect(notClaimed).toEqual([]);
  changeClaim(batch!, DEAD);
  const adopted = await (await open(createFaultyFs(() => undefined))).adopt(batch!.batchId);
  expect(adopted?.manifest?.files.map(({ path, refused }) => [path, refused])).toEqual([
    ['mounted/a.pdf', undefined],
  ]);
  expect(await bed.list('drop')).toEqual([]);
});

test('is carried from a mount that has the number of the share’s own device', async () => {
  const config = { ...bed.config, abandonedMs: 0 };
  const { look, copyNew } = createNodeShareFs();
  const fs = { ...mounted(createFaultyFs(() => undefined)), look, copyNew };
  const share = await openShare(config, { hasher: simpleHasher, logger: bed.logger, fs, key: SHARE_KEY });
  await bed.drop('mounted/a.pdf', 'a');
  expect((await claimAll(share)).manifest.files.map(({ path }) => path)).toEqual(['mounted/a.pdf']);
});

test('stays where it is when it is not the file that was seen', async () => {
  const fs = createFaultyFs(async (operation, from) => {
    if (operation !== 'copyNew' || !isMounted(from as FsPlace)) return;
    await bed.drop('another.pdf', 'written meanwhile');
    const [held = ''] = (await bed.list('drop/mounted')).filter(name => name.startsWith('.drawbridge-'));
    await realRename(join(bed.root, 'drop/another.pdf'), join(bed.root, 'drop/mounted', held));
  });
  const share = await open(fs);
  await bed.drop('mounted/a.pdf', 'a');
  const { batch, notClaimed } = await share.claim(['mounted/a.pdf']);
  expect([batch, notClaimed]).toEqual([undefined, [expect.objectContaining({ why: 'changed' })]]);
  expect(await bed.list('drop')).toEqual(['mounted/a.pdf']);
  expect(await share.openBatches()).toEqual([]);
});

test('stays where it is when there is no room for its copy', async () => {
  const fs = createFaultyFs(operation => {
    if (operation === 'copyNew') throw fsError('ENOSPC');
  });
  const share = await open(fs);
  await bed.drop('mounted/a.pdf', 'a');
  await expect(share.claim(['mounted/a.pdf'])).rejects.toMatchObject({ code: 'share-full' });
  expect(await bed.list('drop')).toEqual(['mounted/a.pdf']);
  expect(await share.openBatches()).toEqual([]);
});

test('is there once, and whole, whichever operation was the last one', async () => {
  for (let dieAt = 1, isDead = true; isDead; dieAt += 1) {
    await bed.remove();
    bed = await createTestBed();
    const recovering = await open(createFaultyFs(() => undefined));
    await bed.drop('mounted/a.pdf', 'a');
    const dying = new DyingFs(dieAt);
    await open(dying.fs)
      .then(share => share.claim(['mounted/a.pdf']))
      .catch(() => undefined);
    isDead = dying.isDead;
    // The process that claims is this one, so an unfinished claim of it that ended
    // well counts as being worked on.
    if (!isDead) return;
    for (const { batchId, claim } of await recovering.openBatches()) {
      if (claim === 'abandoned') await recovering.adopt(batchId);
    }
    const places = [
      ...(await bed.list('drop')).map(path => `drop/${path}`),
      ...(await bed.list('.drawbridge/batches')).map(path => `.drawbridge/batches/${path}`),
    ].filter(path => /a\.pdf|\/\.drawbridge-\d/.test(path));
    expect([dieAt, places]).toEqual([dieAt, [expect.stringMatching(/\/a\.pdf$/)]]);
    expect(readFileSync(join(bed.root, places[0]!), 'utf8')).toBe('a');
  }
}, 60_000);

describe('whose claim is taken for abandoned while its claimer lives', () => {
  /** A claim that stops before its copy is put in place, and is taken up meanwhile. */
  async function takeUp(during: (operation: string, finish: () => Promise<void>) => Promise<void>) {
    let stop!: () => void;
    let goOn!: () => void;
    const stopped = new Promise<void>(resolve => {
      stop = resolve;
    });
    const goesOn = new Promise<void>(resolve => {
      goOn = resolve;
    });
    const fs = createFaultyFs(async (operation, from, to) => {
      const isCopy = operation === 'rename' && /\/\.tmp-/.test(String(from));
      if (!isCopy || !String(to).endsWith('/files/mounted/a.pdf')) return;
      stop();
      await goesOn;
    });
    await bed.drop('mounted/a.pdf', 'a');
    const claiming = (await open(fs)).claim(['mounted/a.pdf']).catch(() => undefined);
    await stopped;
    const finish = async () => {
      goOn();
      await claiming;
    };
    let isAdopting = false;
    const other = await open(
      createFaultyFs(async operation => {
        if (isAdopting) await during(operation, finish);
      }),
    );
    const [claim = ''] = (await bed.list('.drawbridge/batches')).filter(path => path.endsWith('claim.json'));
    await rm(join(bed.root, '.drawbridge/batches', claim));
    await other.openBatches();
    isAdopting = true;
    await other.adopt(claim.split('/')[0]!).catch(() => undefined);
    isAdopting = false;
    await finish();
  }

  const wherever = async () => {
    const paths = [...(await bed.list('drop')), ...(await bed.list('.drawbridge'))];
    return paths.filter(path => /a( \(\d\))?\.pdf$|\.drawbridge-\d/.test(path));
  };

  test('is never lost, whatever the moment in which the claimer goes on', async () => {
    let isOver = false;
    for (let endsAt = 1; !isOver; endsAt += 1) {
      await bed.remove();
      bed = await createTestBed();
      let count = 0;
      await takeUp(async (_, finish) => {
        count += 1;
        if (count === endsAt) await finish();
      });
      isOver = count < endsAt;
      expect([endsAt, await wherever()]).toEqual([endsAt, expect.arrayContaining([expect.any(String)])]);
    }
  }, 60_000);
});

test('is there once, and whole, whichever operation of who takes up its claim was the last one', async () => {
  for (let dieAt = 1, isDead = true; isDead; dieAt += 1) {
    await bed.remove();
    bed = await createTestBed();
    const recovering = await open(createFaultyFs(() => undefined));
    await bed.drop('mounted/a.pdf', 'a');
    // The claimer dies when its copy is in place and its original is still there.
    let isOver = false;
    const claimer = createFaultyFs((operation, place) => {
      isOver ||= operation === 'unlink' && /\/\.drawbridge-\d/.test(String(place));
      if (isOver) throw fsError('DEAD');
    });
    const share = await open(claimer);
    await share.claim(['mounted/a.pdf']).catch(() => undefined);
    const dying = new DyingFs(dieAt);
    await open(dying.fs)
      .then(async taking => {
        for (const { batchId } of await taking.openBatches()) await taking.adopt(batchId);
      })
      .catch(() => undefined);
    isDead = dying.isDead;
    // Whose claim it was may be gone with it: then only a second look tells that nobody is at it.
    for (let look = 1; look <= 2; look += 1) {
      for (const { batchId, claim } of await recovering.openBatches()) {
        if (claim === 'abandoned') await recovering.adopt(batchId);
      }
    }
    const places = [...(await bed.list('drop')), ...(await bed.list('.drawbridge/batches'))];
    const found = places.filter(path => /a( \(\d\))?\.pdf$|\.drawbridge-\d/.test(path));
    expect([dieAt, found]).toEqual([dieAt, [expect.stringMatching(/mounted\/a\.pdf$/)]]);
  }
}, 60_000);

/** On NFS the answer to a rename that did happen can be lost: the repeat finds nothing. */
function losingAnswers(fs: ShareFs, isLost: (to: FsPlace) => boolean): ShareFs {
  return {
    ...fs,
    rename: async (from, to) => {
      await fs.rename(from, to);
      if (isLost(to)) throw fsError('ENOENT');
    },
  };
}

test('comes back where the answer is lost to the rename by which its claim is taken up', async () => {
  await bed.drop('mounted/a.pdf', 'a');
  let isDead = false;
  const claimer = createFaultyFs(operation => {
    isDead ||= operation === 'copyNew';
    if (isDead) throw fsError('DEAD');
  });
  await (await open(claimer)).claim(['mounted/a.pdf']).catch(() => undefined);
  expect(await bed.list('drop')).toEqual([expect.stringMatching(/\/\.drawbridge-\d/)]);
  const fs = losingAnswers(
    createFaultyFs(() => undefined),
    to => String(to).endsWith('-back'),
  );
  const taking = await open(fs);
  for (const { batchId } of await taking.openBatches()) await taking.adopt(batchId);
  expect(await bed.list('drop')).toEqual(['mounted/a.pdf']);
});

test('is claimed where the answer is lost to the rename by which it is held', async () => {
  await bed.drop('mounted/a.pdf', 'a');
  const fs = losingAnswers(
    createFaultyFs(() => undefined),
    to => /\/\.drawbridge-\d[^/]*$/.test(String(to)),
  );
  const { manifest } = await claimAll(await open(fs));
  expect(manifest.files.map(({ path, refused }) => [path, refused])).toEqual([['mounted/a.pdf', undefined]]);
  expect(await bed.list('drop')).toEqual([]);
});

test('shows that somebody is at it, however long its copy takes', async () => {
  jest.useFakeTimers({ now: Date.now(), doNotFake: [...REAL_TIMERS] });
  try {
    const touched: string[] = [];
    const fs = createFaultyFs((operation, place) => {
      if (operation === 'touch') touched.push(String(place));
      if (operation === 'copyNew') jest.advanceTimersByTime(10_000);
    });
    const share = await open(fs);
    await bed.drop('mounted/a.pdf', 'a');
    const { batch } = await share.claim(['mounted/a.pdf']);
    expect(touched).toEqual([expect.stringMatching(/\/claim\.json$/)]);
    touched.length = 0;
    changeClaim(batch!, DEAD);
    const other = await open(
      createFaultyFs((operation, place) => {
        if (operation === 'touch') touched.push(String(place));
        if (operation === 'look' && String(place).endsWith('/files/mounted/a.pdf')) {
          jest.advanceTimersByTime(10_000);
        }
      }),
    );
    await other.adopt(batch!.batchId);
    expect(touched).toContainEqual(expect.stringMatching(/\/claim\.json$/));
  } finally {
    jest.useRealTimers();
  }
});

test('copies nothing from behind a link that is there while it copies, and not before or after', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'drawbridge-outside-'));
  const secret = join(outside, 'token');
  await writeFile(secret, 'a token that is nobody else’s business', { mode: 0o600 });
  let held = '';
  const fs = createFaultyFs(async (operation, from) => {
    if (operation === 'copyNew') {
      held = String(from);
      await realRename(held, `${held}-away`);
      await symlink(secret, held);
    } else if (held !== '') {
      await realRename(`${held}-away`, held);
      held = '';
    }
  });
  const share = await open(fs);
  await bed.drop('mounted/a.pdf', 'the dropper’s own');
  const { batch } = await share.claim(['mounted/a.pdf']).catch(() => ({ batch: undefined }));
  for (const path of await bed.list('.drawbridge')) {
    expect([path, readFileSync(join(bed.root, '.drawbridge', path), 'utf8')]).not.toEqual([
      path,
      expect.stringContaining('nobody else’s business'),
    ]);
  }
  expect(batch).toBeUndefined();
  expect(await bed.list('drop')).toEqual(['mounted/a.pdf']);
  expect(readFileSync(join(bed.root, 'drop/mounted/a.pdf'), 'utf8')).toBe('the dropper’s own');
  await rm(outside, { recursive: true });
});

test('nor, where folders cannot be held, from where its folder leads for a moment, whatever size and time say', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'drawbridge-outside-'));
  const folder = join(bed.root, 'drop/mounted');
  let isSwapped = false;
  const fs = createFaultyFs(
    async (operation, from) => {
      if (operation === 'copyNew') {
        const secret = join(outside, String(from).split('/').at(-1)!);
        await writeFile(secret, 'private');
        await utimes(secret, 1_000, 1_000);
        await realRename(folder, `${folder}-away`);
        await symlink(outside, folder);
        isSwapped = true;
      } else if (isSwapped) {
        await rm(folder);
        await realRename(`${folder}-away`, folder);
        isSwapped = false;
      }
    },
    { byDescriptor: false },
  );
  const share = await open(fs);
  await bed.drop('mounted/a.pdf', 'his own');
  await utimes(join(folder, 'a.pdf'), 1_000, 1_000);
  const { batch } = await share.claim(['mounted/a.pdf']);
  const kept = (await bed.list('.drawbridge')).map(path =>
    readFileSync(join(bed.root, '.drawbridge', path), 'utf8'),
  );
  expect([batch, kept.filter(text => text === 'private')]).toEqual([undefined, []]);
  expect(await bed.list('drop')).toEqual(['mounted/a.pdf']);
  await rm(outside, { recursive: true });
});

test('is refused where it has another name, which its copy has not', async () => {
  const share = await open(createFaultyFs(() => undefined));
  await writeFile(join(bed.root, 'private.pdf'), 'private');
  await bed.drop('mounted/b.pdf', 'b');
  await link(join(bed.root, 'private.pdf'), join(bed.root, 'drop/mounted/a.pdf'));
  const { manifest } = await claimAll(share);
  expect(manifest.files.map(({ path, refused }) => [path, refused?.code])).toEqual([
    ['mounted/a.pdf', 'linked-twice'],
    ['mounted/b.pdf', undefined],
  ]);
});

test('is not, where the other one is what a claimer has left that died while it gave it back', async () => {
  const share = await open(createFaultyFs(() => undefined));
  await bed.drop('mounted/a.pdf', 'a');
  const left = join(bed.root, `drop/mounted/.drawbridge-20260101-000000-aaaaaa-${'0'.repeat(16)}-back`);
  await link(join(bed.root, 'drop/mounted/a.pdf'), left);
  const { manifest } = await claimAll(share);
  expect(manifest.files.map(({ refused }) => refused)).toEqual([undefined]);
});
