import { join } from 'node:path';
import { askThread } from '../../../../activities/registers/sheet/ask-thread';

const CODE = `const { parentPort, threadId } = require('node:worker_threads');
parentPort.on('message', ({ what }) => {
  if (what === 'ends') process.exit(1);
  if (what === 'throws') throw new Error('torn');
  if (what === 'never') for (;;);
  parentPort.postMessage({ threadId, what });
});`;

interface Answer {
  readonly threadId: number;
  readonly what: string;
}

const ask = (what: string, deadlineMs = 10_000, doing: 'read' | 'written' = 'read') =>
  askThread<Answer>({
    code: CODE,
    modules: [],
    data: { what },
    heapMb: 64,
    deadlineMs,
    doing,
    isWell: answer => answer.what === 'well',
  });

test('a thread that has answered well is asked again', async () => {
  const { threadId } = await ask('well');
  expect(await ask('well')).toEqual({ threadId, what: 'well' });
});

test('each has its thread alone', async () => {
  const [one, other] = await Promise.all([ask('well'), ask('well')]);
  expect(one.threadId).not.toBe(other.threadId);
});

test('of a hundred that come at once two are read at one time', async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask('well')));
  expect(answers.map(({ what }) => what)).toEqual(Array.from({ length: 100 }, () => 'well'));
  expect(new Set(answers.map(({ threadId }) => threadId)).size).toBeLessThanOrEqual(2);
});

test('those that take until their deadline to read hold up none that is written, nor each other for ever', async () => {
  const read = Array.from({ length: 4 }, () => ask('never', 2_000));
  const ends = Promise.allSettled(read);
  let isAnyOver = false;
  void Promise.race(read).catch(() => (isAnyOver = true));
  expect(await ask('well', 10_000, 'written')).toMatchObject({ what: 'well' });
  expect(isAnyOver).toBe(false);
  const codes = (await ends).map(end => end.status === 'rejected' && end.reason.code);
  expect(codes).toEqual(Array.from({ length: 4 }, () => 'too-large'));
  expect(await ask('well')).toMatchObject({ what: 'well' });
});

test('after trouble with a sheet the next one has a thread of its own', async () => {
  const before = await ask('well');
  expect((await ask('ill')).threadId).toBe(before.threadId);
  expect((await ask('well')).threadId).not.toBe(before.threadId);
});

test.each([
  ['ends', 'torn'],
  ['throws', 'torn'],
])(
  'a thread that %s is told as that of its sheet, also where it had done well before',
  async (what, code) => {
    await ask('well');
    await expect(ask(what)).rejects.toMatchObject({ code });
    expect(await ask('well')).toMatchObject({ what: 'well' });
  },
);

test('what never ends is ended, and asked of no second thread', async () => {
  await ask('well');
  const begun = performance.now();
  await expect(ask('never', 100)).rejects.toMatchObject({ code: 'too-large' });
  expect(performance.now() - begun).toBeLessThan(5_000);
  expect(await ask('well')).toMatchObject({ what: 'well' });
});

test('ES modules are imported before the code runs, which may require them then', async () => {
  // A module that awaits: `require` alone would refuse it, by whichever Node.
  const module = join(__dirname, 'fixtures/awaits.mjs');
  const code = `const { parentPort } = require('node:worker_threads');
  parentPort.on('message', () => parentPort.postMessage(globalThis.cameFrom));`;
  const task = { modules: [module], data: {}, heapMb: 64, deadlineMs: 10_000, doing: 'read' } as const;
  expect(await askThread<string>({ ...task, code, isWell: () => false })).toBe('awaited');
});

test('a module that is not there is told as the sheet cannot be read, and is no hang', async () => {
  const task = {
    modules: ['no-such-module'],
    data: {},
    heapMb: 64,
    deadlineMs: 10_000,
    doing: 'read',
  } as const;
  await expect(askThread({ ...task, code: '', isWell: () => false })).rejects.toMatchObject({ code: 'torn' });
});
