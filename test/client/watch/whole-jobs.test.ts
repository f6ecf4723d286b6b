import fc from 'fast-check';
import type { SettledEntry, SettledTop } from '../../../activities/share/drop/settled-tops';
import { ShareError } from '../../../activities/share/files/share-error';
import { cutInTurn } from '../../../client/watch/cut-jobs';
import { WholeJobs, type WholeJobsOptions } from '../../../client/watch/whole-jobs';
import { fsError } from '../../activities/share/faulty-fs';

const QUIET_MS = 1_000;
const limits = { maxFiles: 100, maxBytes: 1_000_000 };

const entry = (path: string, sinceMs = 0): SettledEntry => ({
  path,
  kind: 'file',
  sizeBytes: 1,
  mtimeNs: 1n,
  identity: path,
  sinceMs,
});

const settled = (paths: readonly string[], facts: Partial<SettledTop> = {}): SettledTop => ({
  entries: paths.map(path => entry(path)),
  oldestMs: 0,
  newestMs: 0,
  isMoving: false,
  isFilling: false,
  ...facts,
});

const whole = (options: Partial<WholeJobsOptions> = {}) =>
  new WholeJobs({ limits, quietMs: QUIET_MS, isMarked: () => false, ...options });

async function ready(jobs: WholeJobs, tops: Readonly<Record<string, SettledTop>>, nowMs: number) {
  const found = await jobs.ready(new Map(Object.entries(tops)), nowMs);
  const paths = Object.fromEntries(
    found.jobs.map(({ top, entries }) => [top, entries.map(({ path }) => path)]),
  );
  return { paths, askAgainMs: found.askAgainMs };
}

describe('trouble with one folder', () => {
  const tops = { A: settled(['A/1.pdf', 'A/2.pdf']), B: settled(['B/1.pdf', 'B/2.pdf']) };
  const begun = () => {
    const told: string[][] = [];
    const errors: unknown[] = [];
    const trouble: { of: string; is: Error | undefined } = { of: 'A', is: fsError('EACCES') };
    const looks: string[] = [];
    const look = async (top: string) => {
      looks.push(top);
      if (top === trouble.of && trouble.is !== undefined) throw trouble.is;
      return undefined;
    };
    const register = { look, keepOnly: () => undefined };
    const onTrouble: WholeJobsOptions['onTrouble'] = (top, why, error) => {
      told.push([top, why]);
      errors.push(error);
    };
    return { jobs: whole({ register, onTrouble }), told, errors, looks, trouble };
  };

  test('keeps no other waiting, is told once, and tried again', async () => {
    const { jobs, told, looks, trouble } = begun();
    const others = { B: ['B/1.pdf', 'B/2.pdf'] };
    const first = await ready(jobs, tops, 2_000);
    expect(first.paths).toEqual(others);
    expect(first.askAgainMs).toBeGreaterThanOrEqual(3_000);
    expect(first.askAgainMs).toBeLessThan(60_000);
    looks.length = 0;
    expect(await ready(jobs, tops, first.askAgainMs - 1)).toEqual(first);
    expect(looks).toEqual([]);
    const { askAgainMs } = await ready(jobs, tops, first.askAgainMs);
    expect(told).toEqual([['A', 'EACCES']]);
    trouble.is = new ShareError('batch-damaged', 'What a job keeps of its register is not as it was read.');
    const again = await ready(jobs, tops, askAgainMs);
    expect(told.slice(1)).toEqual([['A', 'What a job keeps of its register is not as it was read.']]);
    trouble.is = undefined;
    const { paths } = await ready(jobs, tops, again.askAgainMs);
    expect(paths).toEqual({ A: ['A/1.pdf', 'A/2.pdf'], ...others });
  });

  test('is told by its own message and place where it is a bug, and keeps no other waiting', async () => {
    const { jobs, told, errors, trouble } = begun();
    trouble.is = new TypeError('rows is not iterable');
    expect((await ready(jobs, tops, 2_000)).paths).toEqual({ B: ['B/1.pdf', 'B/2.pdf'] });
    expect(told).toEqual([
      ['A', expect.stringMatching(/^TypeError: rows is not iterable at .*whole-jobs\.test\.ts:\d+:\d+/)],
    ]);
    expect(errors).toEqual([trouble.is]);
  });

  test('is thrown where it is of the whole share', async () => {
    const { jobs, trouble } = begun();
    trouble.is = fsError('ESTALE');
    await expect(ready(jobs, tops, 2_000)).rejects.toMatchObject({ code: 'share-away' });
  });
});

describe('a folder', () => {
  const A = ['A/10.pdf', 'A/2.pdf', 'A/b/1.pdf'];
  const IN_ORDER = ['A/2.pdf', 'A/10.pdf', 'A/b/1.pdf'];

  test('goes once nothing in it has changed for the quiet time, in natural order, whatever other folders do', async () => {
    const jobs = whole();
    const tops = { A: settled(A, { newestMs: 500 }), B: settled(['B/1.pdf'], { newestMs: 1_499 }) };
    expect(await ready(jobs, tops, 1_499)).toEqual({ paths: {}, askAgainMs: 1_500 });
    expect(await ready(jobs, tops, 1_500)).toEqual({ paths: { A: IN_ORDER }, askAgainMs: 2_499 });
  });

  test('waits for what still moves in it, but not for ever', async () => {
    const jobs = whole();
    const moving = { A: settled(A, { isMoving: true }) };
    expect(await ready(jobs, moving, 199_999)).toEqual({ paths: {}, askAgainMs: 200_000 });
    expect((await ready(jobs, moving, 200_000)).paths).toEqual({ A: IN_ORDER });
  });

  test('does not wait for files that there was no room for, where others fill a batch', async () => {
    const jobs = whole({ limits: { maxFiles: 2, maxBytes: 1_000_000 } });
    const filling = { A: settled(A, { newestMs: 500, isFilling: true }) };
    expect((await ready(jobs, filling, 1_499)).paths).toEqual({});
    expect((await ready(jobs, filling, 1_500)).paths).toEqual({ A: IN_ORDER.slice(0, 2) });
    const rest = { A: settled(['A/b/1.pdf'], { isFilling: true }) };
    expect((await ready(jobs, rest, 1_600)).paths).toEqual({});
    expect((await ready(jobs, { A: settled(['A/b/1.pdf']) }, 1_600)).paths).toEqual({ A: ['A/b/1.pdf'] });
  });

  test('that waits is looked at again when its time has come, when it changes, or when it is marked', async () => {
    const looks: number[] = [];
    const marked = new Set<string>();
    const register = { look: async () => void looks.push(nowMs), keepOnly: () => undefined };
    const jobs = whole({ register, isMarked: top => marked.has(top) });
    let nowMs = 0;
    const waits = async (top: SettledTop, atMs: number) => {
      nowMs = atMs;
      return (await ready(jobs, { A: top }, atMs)).paths.A === undefined;
    };
    const tender = settled(A, { newestMs: 100 });
    expect([await waits(tender, 200), await waits(tender, 1_099), await waits(tender, 1_100)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(looks).toEqual([200, 1_100]);
    const changed = settled(A, { newestMs: 2_000 });
    jobs.forget('A');
    expect(await waits(changed, 2_100)).toBe(true);
    marked.add('A');
    expect(await waits(changed, 2_101)).toBe(false);
    expect(looks).toEqual([200, 1_100, 2_100, 2_101]);
  });

  test('of which not all is in sight does not begin until its register would be, nor is its register asked before', async () => {
    const asked: unknown[] = [];
    let isInSight = false;
    const begun: string[] = [];
    const outOfSight = {
      isCutShort: () => true,
      mayBegin: (...of: unknown[]) => {
        asked.push(of);
        return isInSight;
      },
      noteBegun: (top: string) => void begun.push(top),
    };
    const look = jest.fn(async () => undefined);
    const jobs = whole({ outOfSight, register: { look, keepOnly: () => undefined } });
    const tops = { A: settled(A, { newestMs: 500 }) };
    expect(await ready(jobs, tops, 5_000)).toEqual({ paths: {}, askAgainMs: 6_000 });
    expect([asked, look.mock.calls, begun]).toEqual([[['A', 500, false]], [], []]);
    isInSight = true;
    expect((await ready(jobs, tops, 6_000)).paths).toEqual({ A: IN_ORDER });
    // What is not in sight is not missing.
    expect([look.mock.calls, begun]).toEqual([[['A', expect.anything(), true]], ['A']]);
  });

  test('of which never all names are known goes when its time is up', async () => {
    const outOfSight = { isCutShort: () => true, mayBegin: () => false, noteBegun: () => undefined };
    const jobs = whole({ outOfSight });
    expect((await ready(jobs, { A: settled(A) }, 199_999)).paths).toEqual({});
    expect((await ready(jobs, { A: settled(A) }, 200_000)).paths).toEqual({ A: IN_ORDER });
  });

  test('that a person has marked goes as soon as all of it has settled', async () => {
    const jobs = whole({ isMarked: top => top === 'A' });
    expect((await ready(jobs, { A: settled(A, { isMoving: true }) }, 1)).paths).toEqual({});
    expect((await ready(jobs, { A: settled(A), B: settled(['B/1.pdf']) }, 1)).paths).toEqual({ A: IN_ORDER });
  });

  test('its register is told that a person has marked it', async () => {
    const look = jest.fn(async () => undefined);
    const register = { look, keepOnly: () => undefined };
    await ready(
      whole({ register, isMarked: top => top === 'A' }),
      { A: settled(A), B: settled(['B/1.pdf']) },
      1,
    );
    expect(look.mock.calls).toEqual([
      ['A', expect.anything(), true],
      ['B', expect.anything(), false],
    ]);
  });

  test('goes as its register says, in the order of its rows', async () => {
    let begins: 'now' | 'not-yet' | 'when-quiet' = 'not-yet';
    const look = async () => ({ begins, order: ['A/b/1.pdf', 'A/10.pdf'], stay: [] });
    const kept: string[][] = [];
    const keepOnly = (tops: ReadonlyMap<string, unknown>) => void kept.push([...tops.keys()]);
    const jobs = whole({ register: { look, keepOnly } });
    expect(await ready(jobs, { A: settled(A) }, 5_000)).toEqual({ paths: {}, askAgainMs: 6_000 });
    expect(kept).toEqual([['A']]);
    begins = 'when-quiet';
    expect((await ready(jobs, { A: settled(A, { newestMs: 4_500 }) }, 5_000)).paths).toEqual({});
    begins = 'now';
    expect((await ready(jobs, { A: settled(A, { newestMs: 5_000 }) }, 5_000)).paths).toEqual({
      A: ['A/b/1.pdf', 'A/10.pdf', 'A/2.pdf'],
    });
  });

  test('goes without what stays in it, with its register or after that; that alone never goes', async () => {
    for (const begins of ['now', 'as-without'] as const) {
      const look = async () => ({ begins, order: [], stay: ['A/2.pdf', 'A/b/1.pdf'] });
      const jobs = whole({ register: { look, keepOnly: () => undefined } });
      expect((await ready(jobs, { A: settled(A) }, 5_000)).paths).toEqual({ A: ['A/10.pdf'] });
      const rest = { A: settled(['A/2.pdf', 'A/b/1.pdf']) };
      expect(await ready(jobs, rest, 900_000)).toEqual({ paths: {}, askAgainMs: Number.POSITIVE_INFINITY });
      expect([...jobs.stayingOf('A')]).toEqual(['A/2.pdf', 'A/b/1.pdf']);
      const moving = { A: settled(A, { isMoving: true }) };
      expect((await ready(jobs, moving, 900_000)).paths).toEqual({ A: ['A/10.pdf'] });
    }
  });

  test('goes on while more comes into it: that is the next portion, once the one before is through', async () => {
    const jobs = whole();
    await ready(jobs, { A: settled(A) }, QUIET_MS);
    const more = { A: settled(['A/0.pdf', ...A], { newestMs: 1_500 }) };
    expect((await ready(jobs, more, 1_600)).paths).toEqual({ A: IN_ORDER });
    const rest = { A: settled(['A/0.pdf'], { newestMs: 1_500 }) };
    expect(await ready(jobs, rest, 1_700)).toEqual({ paths: {}, askAgainMs: 2_500 });
    expect((await ready(jobs, rest, 2_500)).paths).toEqual({ A: ['A/0.pdf'] });
  });
});

describe('a corrected sheet that was dropped by itself', () => {
  const sheetsAmong = (...paths: string[]) => {
    const asked: (readonly [string[], boolean])[] = [];
    const takeUp = async (files: readonly SettledEntry[], isQuiet: boolean) => {
      asked.push([files.map(({ path }) => path), isQuiet]);
      return new Set(files.flatMap(({ path }) => (paths.includes(path) ? [path] : [])));
    };
    return { asked, sheets: { takeUp } };
  };

  test('in a folder goes its way when nothing has come to it for the quiet time, and no register is looked for', async () => {
    const { asked, sheets } = sheetsAmong('A/receipt.xlsx');
    const look = async () => Promise.reject(new Error('asked for a register'));
    const jobs = whole({ sheets, register: { look, keepOnly: () => undefined } });
    const A = settled(['A/receipt.xlsx'], { newestMs: 500 });
    expect(await ready(jobs, { A }, 600)).toEqual({ paths: {}, askAgainMs: 1_600 });
    expect(await ready(jobs, { A }, 1_600)).toEqual({ paths: {}, askAgainMs: 2_600 });
    expect(asked).toEqual([
      [['A/receipt.xlsx'], false],
      [['A/receipt.xlsx'], true],
    ]);
    const marked = whole({ sheets, isMarked: () => true });
    await ready(marked, { A }, 600);
    expect(asked.at(-1)).toEqual([['A/receipt.xlsx'], true]);
  });

  test('is not asked for where other files lie with it, or something moves', async () => {
    const { asked, sheets } = sheetsAmong('A/receipt.xlsx');
    const jobs = whole({ sheets });
    await ready(jobs, { A: settled(['A/receipt.xlsx'], { isMoving: true }) }, 5_000);
    const { paths } = await ready(jobs, { A: settled(['A/receipt.xlsx', 'A/1.pdf']) }, 5_000);
    expect([asked, paths]).toEqual([[], { A: ['A/1.pdf', 'A/receipt.xlsx'] }]);
  });

  test('is left out of the loose files that go', async () => {
    const { sheets } = sheetsAmong('receipt.xlsx');
    const jobs = whole({ sheets });
    const paths = ['1.pdf', 'receipt.xlsx'];
    expect((await ready(jobs, { '': settled(paths) }, QUIET_MS)).paths).toEqual({ '': ['1.pdf'] });
    const alone = { '': settled(['receipt.xlsx']) };
    expect(await ready(whole({ sheets }), alone, 5_000)).toEqual({ paths: {}, askAgainMs: 6_000 });
  });
});

describe('loose files', () => {
  const loose = (count: number, facts: Partial<SettledTop> = {}) =>
    settled(
      Array.from({ length: count }, (_, index) => `${index}.pdf`),
      facts,
    );

  test('wait for each other for the quiet time, ten of them at most where they trickle in', async () => {
    const jobs = whole();
    expect(await ready(jobs, { '': loose(2, { newestMs: 500 }) }, 1_000)).toMatchObject({ paths: {} });
    expect((await ready(jobs, { '': loose(3, { newestMs: 9_900 }) }, 9_999)).paths).toEqual({});
    expect((await ready(jobs, { '': loose(3, { newestMs: 9_999 }) }, 10_000)).paths).toMatchObject({
      '': ['0.pdf', '1.pdf', '2.pdf'],
    });
  });

  test('that fill a batch go at once; those that do not wait', async () => {
    const { paths } = await ready(whole(), { '': loose(250, { newestMs: 10 }) }, 11);
    expect(paths['']).toHaveLength(200);
    expect(paths['']?.slice(0, 3)).toEqual(['0.pdf', '1.pdf', '2.pdf']);
  });
});

test('every folder is served before long, however steadily files come for the others', async () => {
  const top = fc.constantFrom('a', 'b', 'new', 'zz');
  const arrivals = fc.array(fc.record({ top, count: fc.nat(12) }), { maxLength: 8 });
  const rounds = fc.array(arrivals, { minLength: 30, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(rounds, top, async (all, urgent) => {
      const jobs = whole({ quietMs: 0 });
      const served = new Map<string, number>();
      // Last by its name, so that nothing but its turn brings it forward.
      let waiting = [entry(`${urgent}/~urgent`)];
      for (const [round, arrived] of all.entries()) {
        const nowMs = (round + 1) * 60_000;
        const others = [...arrived.filter(({ top }) => top !== urgent), { top: 'day', count: 9 }];
        for (const [at, { top, count }] of others.entries()) {
          // Also folders that are new each time, and would always be among those never served.
          const folder = top === 'new' ? `new${round}` : top;
          for (let index = 0; index < count; index += 1) {
            waiting.push(entry(`${folder}/${round}-${at}-${index}`, nowMs));
          }
        }
        const tops = new Map<string, SettledTop>();
        for (const one of waiting) {
          const name = one.path.replace(/\/.*/, '');
          const known = tops.get(name);
          tops.set(name, { ...settled([]), entries: [...(known?.entries ?? []), one] });
        }
        const found = await jobs.ready(tops, nowMs);
        const [batch] = cutInTurn(found.jobs, { maxFiles: 7, maxBytes: 1_000 }, served);
        if (batch !== undefined) served.set(batch.top, nowMs);
        waiting = waiting.filter(one => batch?.entries.includes(one) !== true);
      }
      expect(waiting.map(({ path }) => path)).not.toContain(`${urgent}/~urgent`);
    }),
  );
});
