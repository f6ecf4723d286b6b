// What a project's coordinator keeps, and how it answers: the same order whoever asks
// first, small, and kept over runs.
import fc from 'fast-check';
import { ProjectOrder } from '../../../../workflows/revision-order/decide/project-order';
import type { OrderedBatch, TurnQuestion } from '../../../../workflows/revision-order/decide/turns';

const MINUTE_MS = 60_000;

function batch(
  name: string,
  claimed: number,
  ...documents: readonly (readonly [string, string?])[]
): OrderedBatch {
  return {
    batchId: name,
    share: `share-of-${name}`,
    claimedAt: new Date(1_700_000_000_000 + claimed).toISOString(),
    documents: documents.map(([key, revision], index) => ({
      index,
      keys: [`name ${key}`, `number ${key}`],
      modifiedNs: '0',
      ...(revision === undefined ? {} : { revision }),
    })),
  };
}

function question(batchId: string, ...indexes: number[]): TurnQuestion {
  return {
    batchId,
    indexes,
    ended: [],
    matches: [],
    behind: [],
    passAfterMs: 15 * MINUTE_MS,
    confirmed: [],
  };
}

function waitingOf(order: ProjectOrder, asked: TurnQuestion): Record<number, string> | 'unregistered' {
  const answer = order.ask(asked);
  if (answer.kind === 'unregistered') return answer.kind;
  return Object.fromEntries(answer.waiting.map(({ index, behind }) => [index, behind.batchId]));
}

test('the later of two shares waits, and only it is woken when the earlier has ended', () => {
  const order = new ProjectOrder();
  order.register(batch('later', 2, ['a'], ['b']));
  order.register(batch('earlier', 1, ['a'], ['c']));
  expect(waitingOf(order, question('later', 0, 1))).toEqual({ 0: 'earlier' });
  expect(waitingOf(order, question('earlier', 0, 1))).toEqual({});
  order.end('earlier', [1]);
  expect(order.waits.takeWoken()).toEqual([]);
  order.end('earlier', [0]);
  expect(order.waits.takeWoken()).toEqual(['later']);
  expect(waitingOf(order, question('later', 0))).toEqual({});
  expect(order.waits.isEmpty).toBe(true);
  order.end('later');
  expect(order.isEmpty).toBe(true);
});

test('who is to look again is told so by the next run as well', () => {
  const order = new ProjectOrder();
  order.register(batch('later', 2, ['a']));
  order.register(batch('latest', 3, ['b']));
  order.register(batch('earlier', 1, ['a'], ['b']));
  waitingOf(order, question('later', 0));
  waitingOf(order, question('latest', 0));
  order.end('earlier', [0]);
  const next = new ProjectOrder(JSON.parse(JSON.stringify(order.snapshot())));
  expect(next.waits.takeWoken()).toEqual(['later']);
  expect(next.snapshot()).not.toHaveProperty('woken');
});

test('by revision where all can be compared, by claim where they cannot', () => {
  const order = new ProjectOrder();
  order.register(batch('first', 1, ['a', 'B']));
  order.register(batch('second', 2, ['a', 'A']));
  expect(waitingOf(order, question('first', 0))).toEqual({ 0: 'second' });
  order.register(batch('third', 3, ['a']));
  expect(waitingOf(order, question('first', 0))).toEqual({});
  expect(waitingOf(order, question('second', 0))).toEqual({ 0: 'first' });
});

test('what was let go once is not called back by what is learned later, and a look lets nothing go', () => {
  const order = new ProjectOrder();
  order.register(batch('B', 2, ['a', 'B']));
  expect(waitingOf(order, { ...question('B', 0), isLook: true })).toEqual({});
  order.register(batch('A', 3, ['a', 'A']));
  expect(waitingOf(order, question('B', 0))).toEqual({ 0: 'A' });
  order.end('A');
  expect(waitingOf(order, question('B', 0))).toEqual({});
  order.register(batch('A', 4, ['a', 'A']));
  expect(waitingOf(order, question('B', 0))).toEqual({});
  order.register(batch('B', 2, ['a', 'B']));
  expect(waitingOf(order, question('B', 0))).toEqual({});
});

test('what the service matches by decides where it is known of both', () => {
  const order = new ProjectOrder();
  order.register(batch('one', 1, ['a']));
  order.register(batch('two', 2, ['a']));
  expect(order.ask({ ...question('one', 0), matches: [{ index: 0, matches: 'x' }] })).toMatchObject({
    waiting: [],
  });
  expect(order.ask({ ...question('two', 0), matches: [{ index: 0, matches: 'y' }] })).toMatchObject({
    waiting: [],
  });
  order.register(batch('three', 3, ['other name']));
  expect(order.ask({ ...question('three', 0), matches: [{ index: 0, matches: 'y' }] })).toMatchObject({
    waiting: [{ index: 0, behind: { batchId: 'two' } }],
  });
});

test('a number of too many files makes no line, also not when few of them are left', () => {
  const order = new ProjectOrder();
  const photos = Array.from({ length: 40 }, (_, at) => `photo-${at}`);
  for (const [at, id] of photos.entries()) {
    const documents = [{ index: 0, keys: [`name ${id}`, 'number photo'], modifiedNs: '0' }];
    order.register({ ...batch(id, at), documents });
  }
  expect(waitingOf(order, question('photo-39', 0))).toEqual({});
  for (const id of photos.slice(0, 35)) order.end(id);
  expect(waitingOf(order, question('photo-38', 0))).toEqual({});
});

test('whom only the share shows is waited for as long as it is not known here', () => {
  const order = new ProjectOrder();
  order.register(batch('late', 2, ['a']));
  const asked = { ...question('late', 0), behind: [{ index: 0, batchId: 'claim' }] };
  expect(order.ask(asked)).toMatchObject({ waiting: [], unknown: ['claim'] });
  order.register(batch('claim', 1, ['b']));
  expect(order.waits.takeWoken()).toEqual(['late']);
  expect(order.ask(asked)).toMatchObject({ waiting: [], unknown: [] });
});

test('what a batch leaves out when it says again what it has, has ended: whoever waits for that is told', () => {
  const order = new ProjectOrder();
  order.register(batch('earlier', 1, ['a'], ['b']));
  order.register(batch('later', 2, ['a'], ['b']));
  expect(waitingOf(order, question('later', 0, 1))).toEqual({ 0: 'earlier', 1: 'earlier' });
  const whole = batch('earlier', 1, ['a'], ['b']);
  expect(order.leftOutOf(whole)).toEqual([]);
  const rest = { ...whole, documents: whole.documents.slice(1) };
  expect(order.leftOutOf(rest)).toEqual([0]);
  expect(order.leftOutOf({ ...rest, batchId: 'another' })).toEqual([]);
  order.register(rest);
  expect(order.waits.takeWoken()).toEqual([]);
  order.end('earlier', order.leftOutOf(rest));
  expect(order.waits.takeWoken()).toEqual(['later']);
  expect(waitingOf(order, question('later', 0, 1))).toEqual({ 1: 'earlier' });
});

describe('a batch that nobody runs', () => {
  function standing(): ProjectOrder {
    const order = new ProjectOrder();
    order.register(batch('stopped', 1, ['a', 'A']));
    order.register(batch('next', 2, ['a', 'B']));
    order.ask(question('next', 0));
    return order;
  }

  test('is waited for, in sight, until its time is over; then it is passed, which both are told', () => {
    const order = standing();
    expect(order.inFront).toEqual(['stopped']);
    order.noteRun('stopped', 'stopped', 0);
    expect(order.waits.takeWoken()).toEqual(['next']);
    expect(order.ask(question('next', 0))).toMatchObject({
      waiting: [{ index: 0, behind: { batchId: 'stopped', isStopped: true } }],
    });
    order.noteRun('stopped', 'stopped', 14 * MINUTE_MS);
    expect(order.waits.takeWoken()).toEqual([]);
    order.noteRun('stopped', 'stopped', 15 * MINUTE_MS);
    expect(order.waits.takeWoken()).toEqual(['next']);
    expect(order.ask(question('next', 0))).toMatchObject({
      waiting: [],
      passing: [{ index: 0, before: { batchId: 'stopped', index: 0, revision: 'A' } }],
    });
    expect(order.notes).toEqual([
      {
        batchId: 'stopped',
        share: 'share-of-stopped',
        documents: [{ index: 0, by: { batchId: 'next', share: 'share-of-next', revision: 'B' } }],
      },
    ]);
    order.end('next');
    // Resumed: its document is not put on top of the later one in silence.
    order.register(batch('stopped', 1, ['a', 'A']));
    expect(order.ask(question('stopped', 0))).toMatchObject({
      waiting: [],
      overtaken: [{ index: 0, by: { batchId: 'next', revision: 'B' } }],
    });
    expect(order.ask({ ...question('stopped', 0), confirmed: [0] })).toMatchObject({ overtaken: [] });
  });

  test('is waited for again once somebody runs it in time, and forgotten when it has ended', () => {
    const order = standing();
    order.noteRun('stopped', 'stopped', 0);
    order.register(batch('stopped', 1, ['a', 'A']));
    order.noteRun('stopped', 'running', 14 * MINUTE_MS);
    order.noteRun('stopped', 'running', 16 * MINUTE_MS);
    expect(waitingOf(order, question('next', 0))).toEqual({ 0: 'stopped' });
    order.waits.takeWoken();
    order.noteRun('stopped', 'ended', 17 * MINUTE_MS);
    expect(order.waits.takeWoken()).toEqual(['next']);
    expect(waitingOf(order, question('next', 0))).toEqual({});
  });
});

test('what does not fit is refused, and what is there stays', () => {
  const order = new ProjectOrder();
  const hundred = (id: string, at: number) =>
    batch(id, at, ...Array.from({ length: 100 }, (_, index) => [`${id} ${index}`] as const));
  let kept = 0;
  while (order.register(hundred(`batch-${kept}`, kept))) kept++;
  expect(waitingOf(order, question(`batch-${kept}`, 0))).toBe('unregistered');
  expect(waitingOf(order, question('batch-0', 0))).toEqual({});
  // As the payload of the next run: below what Temporal takes.
  expect(JSON.stringify(order.snapshot()).length).toBeLessThan(2_000_000);
  order.end('batch-0');
  expect(order.register(hundred('one more', 0))).toBe(true);
});

test('whatever happens, and over whatever runs: of those that wait one can always go, and no batch is forgotten', () => {
  const deed = fc.oneof(
    fc.record({
      kind: fc.constant('open' as const),
      batch: fc.nat(7),
      keys: fc.array(fc.nat(3), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('ask' as const), batch: fc.nat(7) }),
    fc.record({ kind: fc.constant('end' as const), batch: fc.nat(7) }),
    fc.record({ kind: fc.constant('again' as const), batch: fc.nat(0) }),
  );
  fc.assert(
    fc.property(fc.array(deed, { maxLength: 60 }), deeds => {
      let order = new ProjectOrder();
      const open = new Map<string, number[]>();
      for (const each of deeds) {
        const id = `batch-${each.batch}`;
        const keys = open.get(id);
        if (each.kind === 'again') order = new ProjectOrder(JSON.parse(JSON.stringify(order.snapshot())));
        else if (each.kind === 'open' && keys === undefined) {
          open.set(id, each.keys);
          order.register(batch(id, each.batch, ...each.keys.map(key => [`${key}`] as const)));
        } else if (each.kind === 'end' && keys !== undefined) {
          order.end(id);
          open.delete(id);
        } else if (each.kind === 'ask' && keys !== undefined) {
          const waiting = waitingOf(order, question(id, ...keys.keys()));
          if (waiting === 'unregistered') throw new Error('It forgot a batch');
        }
      }
      // Whoever asks in the end, as long as somebody waits, one more can go.
      for (let rounds = 0; open.size > 0; rounds++) {
        if (rounds > 100) throw new Error('Nobody can go');
        for (const [id, keys] of open) {
          const waiting = waitingOf(order, question(id, ...keys.keys()));
          if (waiting === 'unregistered') throw new Error('It forgot a batch');
          const free = [...keys.keys()].filter(index => !(index in waiting));
          if (free.length === keys.length) {
            order.end(id);
            open.delete(id);
          } else order.ask({ ...question(id), ended: free });
        }
      }
      expect(order.isEmpty).toBe(true);
    }),
  );
});
