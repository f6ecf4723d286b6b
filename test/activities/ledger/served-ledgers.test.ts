// What the ledgers of a project say of files about to be sent.
import { join } from 'node:path';
import { LedgerIndex } from '../../../activities/ledger/ledger-index';
import { SeenBatches } from '../../../activities/ledger/seen-batches';
import { type LedgerShare, ServedLedgers } from '../../../activities/ledger/served-ledgers';
import { ShareError } from '../../../activities/share/files/share-error';
import type { Share } from '../../../activities/share/share';
import { createLedgerBed, type LedgerBed } from '../share/ledger/ledger-test-bed';
import { claimAll, FakeLogger, submitted } from '../share/share-test-bed';

let bed: LedgerBed;
let logger: FakeLogger;
let draining: AbortController;
const hosts: ServedLedgers[] = [];
/** Nobody else waits for it; it works in the state folder until it is drained. */
const serving: Promise<void>[] = [];

beforeEach(async () => {
  bed = await createLedgerBed();
  logger = new FakeLogger();
  draining = new AbortController();
});
afterEach(async () => {
  draining.abort(new Error('The worker is stopping'));
  await Promise.all(serving.splice(0));
  for (const host of hosts.splice(0)) await host.close();
  await bed.remove();
});

/** A host with a state folder of its own. */
function aHost(name = 'one', waitMs?: number): ServedLedgers {
  const openIndex = (share: string) =>
    new LedgerIndex({
      folder: join(bed.root, 'state', name, share),
      otherShares: [],
      onBad: () => undefined,
    });
  const host = new ServedLedgers({
    openIndex,
    openSeen: share => SeenBatches.read(join(bed.root, 'state', name, share)),
    logger,
    draining: draining.signal,
    ...(waitMs === undefined ? {} : { waitMs }),
  });
  hosts.push(host);
  return host;
}

/** Drops files, claims them, and says what of them is not sent. */
async function look(host: ServedLedgers, share: Share, ...names: string[]) {
  for (const name of names) await bed.drop(name, `bytes of ${name.split('/').at(-1)}`);
  const { batchId, manifest } = await claimAll(share);
  const skips = await host.findStops({ share, manifest, files: manifest.files });
  return {
    batchId,
    manifest,
    skips: Object.fromEntries([...skips].map(([at, { reason }]) => [manifest.files[at]?.path, reason.code])),
    texts: [...skips.values()].map(({ reason }) => reason.text),
  };
}

async function submitAll(
  share: Share,
  { batchId, manifest }: Awaited<ReturnType<typeof look>>,
): Promise<void> {
  await share.settleUp(
    batchId,
    manifest.files.map(({ index }) => ({ ...submitted(index), stored: [] })),
    { final: true },
  );
}

test('dropped again, all of a folder are skipped, each with its revision; what is new goes', async () => {
  const share = await bed.open();
  const host = aHost();
  await host.serve(share);
  const first = await look(host, share, 'TR-1/a.pdf', 'TR-1/b.pdf');
  expect(first.skips).toEqual({});
  await submitAll(share, first);
  const again = await look(host, share, 'TR-2/a.pdf', 'TR-2/b.pdf', 'TR-2/c.pdf');
  expect(again.skips).toEqual({ 'TR-2/a.pdf': 'already-there', 'TR-2/b.pdf': 'already-there' });
  expect(again.texts[1]).toContain(`in batch ${first.batchId}, revision id R1)`);
});

test('a form of one name in folders that each give their document’s Name is sent once for each of them', async () => {
  const share = await bed.open({ folderPattern: '(?<Name>A-[^/]+)$' });
  const host = aHost();
  await host.serve(share);
  await submitAll(share, await look(host, share, 'TR-1/A-101/plan.pdf'));
  const next = await look(host, share, 'TR-2/A-101/plan.pdf', 'TR-2/A-102/plan.pdf');
  expect(next.skips).toEqual({ 'TR-2/A-101/plan.pdf': 'already-there' });
});

test('nor is one skipped of which its register says another Name', async () => {
  const share = await bed.open();
  const host = aHost();
  await host.serve(share);
  const dropJob = async (job: string, name: string) => {
    await bed.drop(`${job}/register.csv`, `File,Name\nscan.pdf,${name}\n`);
    return await look(host, share, `${job}/scan.pdf`);
  };
  await submitAll(share, await dropJob('TR-1', 'A-101'));
  expect((await dropJob('TR-2', 'A-102')).skips).toEqual({});
  expect((await dropJob('TR-3', 'A-101')).skips).toEqual({ 'TR-3/scan.pdf': 'already-there' });
});

test('the labels of the project tell names and revisions, in rows and in patterns', async () => {
  const askFields = async () => [
    { name: 'name', label: 'Document Name' },
    { name: 'revision', label: 'Index' },
  ];
  const share = await bed.open({ fileNamePattern: '_(?<index>[^_.]+)' }, { askFields });
  const host = aHost();
  await host.serve(share);
  const dropJob = async (job: string, name: string, file = 'form.pdf') => {
    await bed.drop(`${job}/register.csv`, `File,Document Name,Title\n${file},${name},x\n`);
    return await look(host, share, `${job}/${file}`);
  };
  await submitAll(share, await dropJob('TR-1', 'Form A'));
  expect((await dropJob('TR-2', 'Form B')).skips).toEqual({});
  expect((await dropJob('TR-3', 'Form A')).skips).toEqual({ 'TR-3/form.pdf': 'already-there' });

  const named = async (name: string) => {
    await bed.drop(name, 'bytes of all');
    const { batchId, manifest } = await claimAll(share);
    const stops = await host.findStops({ share, manifest, files: manifest.files });
    return { batchId, manifest, kinds: [...stops.values()].map(({ kind }) => kind), skips: {}, texts: [] };
  };
  const first = await named('TR-4/plan_P01.pdf');
  await submitAll(share, first);
  await bed.drop('TR-5/register.csv', 'File,Index,Title\nplan_P01.pdf,P02,x\n');
  expect((await named('TR-5/plan_P01.pdf')).kinds).toEqual([]);
  expect((await named('TR-6/plan_P01.pdf')).kinds).toEqual(['skip']);
});

test('what another host has noted since is seen, and so is what another share of the project has', async () => {
  const share = await bed.open();
  const other = await bed.open({ name: 'site' });
  const [one, two] = [aHost('one'), aHost('two')];
  await Promise.all([one.serve(share), two.serve(share), two.serve(other)]);
  await submitAll(share, await look(one, share, 'a.pdf'));
  expect((await look(two, share, 'x/a.pdf')).skips).toEqual({ 'x/a.pdf': 'already-there' });
  expect((await look(two, other, 'y/a.pdf')).skips).toEqual({ 'y/a.pdf': 'already-there' });
});

test('a share that was given another name knows what it had sent, and what it had only claimed', async () => {
  const before = await bed.open();
  const [sent, claimed] = [await look(aHost(), before, 'a.pdf'), await look(aHost(), before, 'b.pdf')];
  await submitAll(before, sent);
  const share = await bed.open({ name: 'tender-a' });
  await submitAll(share, claimed);
  expect(await share.ledger.read({ batchId: claimed.batchId, part: 1 })).toMatchObject({
    record: { share: 'tender-a' },
  });
  const host = aHost('later');
  await host.serve(share);
  expect((await look(host, share, 'x/a.pdf', 'x/b.pdf')).skips).toEqual({
    'x/a.pdf': 'already-there',
    'x/b.pdf': 'already-there',
  });
});

test('what was finished before there was a ledger counts', async () => {
  const share = await bed.open();
  await submitAll(share, await look(aHost(), share, 'a.pdf'));
  await bed.forgetLedger();
  const host = aHost('upgraded');
  await host.serve(share);
  expect((await look(host, share, 'b/a.pdf')).skips).toEqual({ 'b/a.pdf': 'already-there' });
  expect(logger.lines).toContainEqual(expect.objectContaining({ event: 'ledger-completed', documents: 1 }));
});

test('a finished batch without a revision is not read again at the next start', async () => {
  const share = await bed.open();
  const { batchId } = await look(aHost(), share, 'a.pdf');
  const reason = { code: 'x', text: 'x', fix: 'x' };
  await share.settleUp(batchId, [{ index: 0, kind: 'set-apart', reason }], { final: true });
  const batches: number[] = [];
  const noteFinished: LedgerShare['noteFinished'] = async options => {
    const noted = await share.noteFinished(options);
    batches.push(noted.batches);
    return noted;
  };
  const { name, config, ledger, noteAfter, readWords } = share;
  const counted = { name, config, ledger, noteFinished, noteAfter, readWords };
  for (const _start of [1, 2]) await aHost('started').serve(counted);
  expect(batches).toEqual([1, 0]);
});

test('a former revision comes back, though what followed it was sent by a clock that had been set back', async () => {
  const share = await bed.open();
  const host = aHost();
  await host.serve(share);
  const send = async (content: string, submittedAtMs: number) => {
    await bed.drop('a.pdf', content);
    const { batchId, manifest } = await claimAll(share);
    const stops = await host.findStops({ share, manifest, files: manifest.files });
    const outcome = { ...submitted(0), stored: [], submittedAtMs };
    if (stops.size === 0) await share.settleUp(batchId, [outcome], { final: true });
    return [...stops.values()].map(({ kind }) => kind);
  };
  expect(await send('first', Date.UTC(2026, 0, 31, 11, 30))).toEqual([]);
  expect(await send('second', Date.UTC(2026, 0, 31, 10, 45))).toEqual([]);
  expect(await send('third', Date.UTC(2026, 0, 31, 10, 50))).toEqual([]);
  expect(await send('third', Date.UTC(2026, 1, 7))).toEqual(['skip']);
  expect(await send('first', Date.UTC(2026, 1, 7))).toEqual(['hold']);
});

test('a batch’s own entry is for its own run to find out; a share may ask for the same file again', async () => {
  const share = await bed.open();
  const host = aHost();
  await host.serve(share);
  const first = await look(host, share, 'a.pdf');
  await share.appendRecord(first.batchId, { kind: 'outcome', outcomes: [submitted(0)] });
  expect(await host.findStops({ share, manifest: first.manifest, files: first.manifest.files })).toEqual(
    new Map(),
  );
  const sending = await bed.open({ duplicates: { sameFile: 'send' } });
  expect((await look(host, sending, 'b/a.pdf')).skips).toEqual({});
});

test('the same bytes under another name, and an earlier revision, are held; what a person let go is not', async () => {
  const share = await bed.open({ fileNamePattern: '^(?<Number>[A-Z]-\\d+)_(?<Revision>[^._]+)' });
  const host = aHost();
  await bed.drop('TR-1/A-1_P02.pdf', 'second');
  const first = await claimAll(share);
  await submitAll(share, { ...first, skips: {}, texts: [] });
  await bed.drop('TR-2/B-1_P01.pdf', 'second');
  await bed.drop('TR-2/A-1_P01.pdf', 'first');
  await bed.drop('TR-2/A-1_P03.pdf', 'third');
  const { manifest } = await claimAll(share);
  const ask = async (meant: readonly string[] = []) => {
    const codes = new Map(manifest.files.map(({ index }) => [index, meant] as const));
    const stops = await host.findStops({ share, manifest, files: manifest.files, meant: codes });
    return Object.fromEntries(
      [...stops].map(([at, { kind, reason }]) => [manifest.files[at]?.path, [kind, reason.code]]),
    );
  };
  const held = {
    'TR-2/A-1_P01.pdf': ['hold', 'later-there'],
    'TR-2/B-1_P01.pdf': ['hold', 'same-bytes'],
  };
  expect(await ask()).toEqual(held);
  expect(await ask(['same-bytes'])).toEqual({ 'TR-2/A-1_P01.pdf': held['TR-2/A-1_P01.pdf'] });
  expect(await ask(['same-bytes', 'later-there'])).toEqual({});
});

test('what the files of a batch show by themselves counts when it is opened, of those that are asked for', async () => {
  const share = await bed.open();
  const host = aHost();
  for (const name of ['x/a.pdf', 'y/b.pdf']) await bed.drop(name, 'the same');
  await bed.drop('x/c.pdf', 'one');
  await bed.drop('y/c.pdf', 'other');
  const { manifest } = await claimAll(share);
  const files = manifest.files.filter(({ path }) => path !== 'y/b.pdf');
  const stops = await host.findStops({ share, manifest, files, isOpening: true });
  expect([...stops].map(([at, { reason }]) => `${manifest.files[at]?.path} ${reason.code}`)).toEqual([
    'x/a.pdf same-bytes-in-job',
    'x/c.pdf no-order',
    'y/c.pdf no-order',
  ]);
  expect(await host.findStops({ share, manifest, files })).toEqual(new Map());
});

test('a row may say that a file is sent all the same', async () => {
  const share = await bed.open();
  const host = aHost();
  await submitAll(share, await look(host, share, 'a.pdf', 'b.pdf'));
  const { manifest } = await look(host, share, 'TR/a.pdf', 'TR/b.pdf', 'TR/c.pdf');
  const files = manifest.files.map((file, at) => ({
    ...file,
    entry: { register: 0, row: { number: at + 2, cells: [['Send', '', '?'][at] ?? ''] } },
  }));
  const register = {
    path: 'TR/r.csv',
    sizeBytes: 1,
    sha256: '',
    headers: ['Action'],
    notThere: [],
    notices: [],
  };
  const skips = await host.findStops({
    share,
    manifest: { ...manifest, files, registers: [register] },
    files,
  });
  expect(
    [...skips]
      .map(
        ([
          at,
          {
            reason: { code },
          },
        ]) => `${at} ${code}`,
      )
      .sort(),
  ).toEqual(['1 already-there']);
});

describe('while the ledger cannot be read', () => {
  const reading = (share: Share, months: () => Promise<never>): LedgerShare => ({
    name: share.name,
    config: share.config,
    noteFinished: async () => ({ batches: 0, added: 0 }),
    noteAfter: () => undefined,
    readWords: share.readWords,
    ledger: {
      share: share.name,
      months,
      recordNames: month => share.ledger.recordNames(month),
      read: name => share.ledger.read(name),
    },
  });
  const never = () =>
    new Promise<never>((_, reject) => {
      draining.signal.addEventListener('abort', () => reject(draining.signal.reason));
    });

  test('a batch waits a moment and goes on, which is told once', async () => {
    const share = await bed.open();
    const host = aHost('slow', 20);
    const { manifest } = await look(aHost(), share, 'a.pdf');
    const slow = reading(share, never);
    for (let time = 0; time < 2; time += 1) {
      expect(await host.findStops({ share: slow, manifest, files: manifest.files })).toEqual(new Map());
    }
    expect(logger.lines.filter(({ event }) => event === 'ledger-behind')).toHaveLength(1);
  });

  test('its own share being away is said; another share’s is not waited for', async () => {
    const share = await bed.open();
    const { manifest } = await look(aHost(), share, 'a.pdf');
    const away = async () => await Promise.reject(new ShareError('share-away', 'The share does not answer.'));
    await expect(
      aHost('own').findStops({ share: reading(share, away), manifest, files: manifest.files }),
    ).rejects.toMatchObject({ code: 'share-away' });
    const host = aHost('other');
    const site = await bed.open({ name: 'site' });
    serving.push(host.serve(reading(site, away)));
    expect(await host.findStops({ share, manifest, files: manifest.files })).toEqual(new Map());
  });

  test('another share that hangs is waited for once, and what the own share has is found', async () => {
    const share = await bed.open();
    await submitAll(share, await look(aHost(), share, 'a.pdf'));
    // So long that the own share is read by then on a busy machine too.
    const host = aHost('beside', 2_000);
    serving.push(host.serve(reading(await bed.open({ name: 'hung' }), never)));
    for (const time of [1, 2]) {
      expect((await look(host, share, `${time}/a.pdf`)).skips).toEqual({
        [`${time}/a.pdf`]: 'already-there',
      });
    }
    const behind = logger.lines.filter(({ event }) => event === 'ledger-behind');
    expect(behind.map(({ share: name }) => name)).toEqual(['hung']);
  });
});
