// Batches that wait for Temporal: what is told of them once it is back, and what is not.
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { WatchEvent } from '../../../client/watch/watch-events';
import { StartQueue } from '../../../client/watch/watch-starts';

const BATCH = {
  batchId: '20260131-093000-k3f9a2',
  manifestSha256: 'a'.repeat(64),
  project: { companyId: '5001', projectId: '7001' },
  files: 3,
};

const LEDGER = {
  isOpen: async () => true,
  isHeldHere: async () => true,
  noteStopped: async () => undefined,
  clearStopped: async () => undefined,
};

/** Everything that is told until the batch has been asked for and judged. */
async function tellOf(
  outcome: 'started' | 'already-running' | 'already-finished' | 'stopped',
  isOpen: () => Promise<boolean>,
): Promise<WatchEvent[]> {
  const told: WatchEvent[] = [];
  const queue = new StartQueue(
    'tender',
    {
      start: () => Promise.resolve(outcome),
      find: () => Promise.resolve('forgotten'),
      wake: () => Promise.resolve(false),
      shareOfRun: () => Promise.resolve(undefined),
    },
    event => void told.push(event),
    { ...LEDGER, isOpen },
  );
  const ending = new AbortController();
  const running = queue.run(ending.signal);
  queue.add(BATCH);
  while (queue.size > 0) await turn();
  // Once more: a batch is added again by every round of the recovery.
  queue.add(BATCH);
  while (queue.size > 0) await turn();
  ending.abort();
  await running;
  return told;
}

test.each(['already-finished', 'stopped'] as const)(
  'a run that is %s while its batch is still open on the share is told once',
  async outcome => {
    expect(await tellOf(outcome, () => Promise.resolve(true))).toEqual([
      { event: 'batch-stopped', batchId: BATCH.batchId, outcome },
    ]);
  },
);

test('a batch that came to its end while Temporal was waited for is nobody\u2019s trouble', async () => {
  expect(await tellOf('already-finished', () => Promise.resolve(false))).toEqual([]);
});

test('with the share away nothing is claimed of the batch; the recovery adds it again', async () => {
  expect(await tellOf('already-finished', () => Promise.reject(new Error('away')))).toEqual([]);
});

test('a run that goes on is no news, whatever the share says', async () => {
  expect(await tellOf('already-running', () => Promise.resolve(true))).toEqual([]);
});

test('a batch that had a run is asked for, and never started again', async () => {
  const asked: string[] = [];
  const queue = new StartQueue(
    'tender',
    {
      start: async () => {
        asked.push('start');
        return 'started';
      },
      wake: async () => false,
      shareOfRun: async () => undefined,
      find: async () => {
        asked.push('find');
        return 'stopped';
      },
    },
    () => undefined,
    LEDGER,
  );
  const ending = new AbortController();
  const running = queue.run(ending.signal);
  queue.add({ ...BATCH, hadRun: true });
  while (queue.size > 0) await turn();
  ending.abort();
  await running;
  expect(asked).toEqual(['find']);
});

test('a batch whose start fails stays, behind the others, and is started when Temporal is back', async () => {
  let isAway = true;
  const started: string[] = [];
  const told: string[] = [];
  const queue = new StartQueue(
    'tender',
    {
      start: async ({ batchId }) => {
        if (isAway) throw Object.assign(new Error('connection refused'), { code: 14 });
        started.push(batchId);
        return 'started';
      },
      find: async () => 'forgotten',
      wake: async () => false,
      shareOfRun: async () => undefined,
    },
    ({ event }) => {
      told.push(event);
      if (event === 'temporal-away') isAway = false;
    },
    LEDGER,
  );
  queue.add(BATCH);
  queue.add({ ...BATCH, batchId: 'the-other' });
  const ending = new AbortController();
  const running = queue.run(ending.signal);
  while (queue.size > 0) await delay(20);
  ending.abort();
  await running;
  expect(started).toEqual(['the-other', BATCH.batchId]);
  expect(told).toEqual(['temporal-away', 'temporal-back', 'batch-started', 'batch-started']);
});

describe('a batch whose run nobody knows any more', () => {
  test('is left to the next round, and Temporal is not told as away, while the share cannot say whose it is', async () => {
    const told: string[] = [];
    const queue = new StartQueue(
      'tender',
      {
        start: async () => 'started',
        find: async () => 'forgotten',
        wake: async () => false,
        shareOfRun: async () => undefined,
      },
      ({ event }) => void told.push(event),
      { ...LEDGER, isHeldHere: async () => await Promise.reject(new Error('the share is away')) },
    );
    queue.add({ ...BATCH, hadRun: true });
    const ending = new AbortController();
    const running = queue.run(ending.signal);
    while (queue.size > 0) await turn();
    await turn();
    ending.abort();
    await running;
    expect(told).toEqual([]);
  });

  async function noted(isHeldHere: boolean, isStopped = false): Promise<string[]> {
    const outcomes: string[] = [];
    const queue = new StartQueue(
      'tender',
      {
        start: async () => 'started',
        find: async () => 'forgotten',
        wake: async () => false,
        shareOfRun: async () => undefined,
      },
      () => undefined,
      {
        ...LEDGER,
        isHeldHere: async () => isHeldHere,
        noteStopped: async (_, outcome) => void outcomes.push(outcome),
      },
    );
    queue.add({ ...BATCH, hadRun: true, isStopped });
    const ending = new AbortController();
    const running = queue.run(ending.signal);
    while (queue.size > 0) await turn();
    ending.abort();
    await running;
    return outcomes;
  }

  test('has to be resumed where it was run by this Temporal', async () => {
    expect(await noted(true)).toEqual(['forgotten']);
    expect(await noted(false, true)).toEqual(['forgotten']);
  });

  test('is left to the next round where Temporal has lost its database while the batch waited', async () => {
    expect(await noted(false)).toEqual([]);
  });
});

describe('a batch that was claimed while its share had another name', () => {
  let asked: number;

  async function tellOf(ofRun: string | undefined, claimedAs = 'former'): Promise<WatchEvent[]> {
    const told: WatchEvent[] = [];
    asked = 0;
    const queue = new StartQueue(
      'tender',
      {
        start: async () => 'already-running',
        find: async () => 'already-running',
        wake: async () => true,
        shareOfRun: async () => {
          asked++;
          return ofRun;
        },
      },
      event => void told.push(event),
      LEDGER,
    );
    const ending = new AbortController();
    const running = queue.run(ending.signal);
    for (const hadRun of [false, true]) {
      queue.add({ ...BATCH, claimedAs, hadRun });
      while (queue.size > 0) await turn();
    }
    ending.abort();
    await running;
    return told;
  }

  test('is told once where its run asks for the share by that name, and not asked for again', async () => {
    expect(await tellOf('former')).toEqual([
      { event: 'batch-of-former-name', batchId: BATCH.batchId, formerName: 'former' },
    ]);
    expect(asked).toBe(1);
  });

  test.each([
    ['its run was started anew under the present name', 'tender'],
    ['nobody knows by which name its run asks', undefined],
  ])('is no news where %s', async (_, ofRun) => {
    expect(await tellOf(ofRun)).toEqual([]);
  });

  test('Temporal is not asked by which name, where the name is the same', async () => {
    expect(await tellOf('whatever', 'tender')).toEqual([]);
    expect(asked).toBe(0);
  });
});
