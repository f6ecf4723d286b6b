// What an operator reads of an outage: one line for each dependency, one entry for each reason to wait.
import { groupByDependency, type WaitingActivity } from '../../../client/status/incident-list';
import { describeAway, describeBlocked } from '../../../client/status/incident-text';

const NOW = new Date('2026-01-31T10:00:00Z');
const plain = (_colour: string, text: string) => text;

function waits(batch: string, facts: Partial<WaitingActivity> = {}): WaitingActivity {
  return {
    workflowId: `ingest/7/${batch}`,
    dependency: 'api',
    why: 'no connection (ECONNREFUSED)',
    sinceMs: NOW.getTime() - 720_000,
    nextAttemptMs: NOW.getTime() + 23_000,
    ...facts,
  };
}

describe('what is away', () => {
  test('is one line for each dependency, the longest away first', () => {
    const away = groupByDependency(
      [
        waits('a', { dependency: 'share', share: 'tender', why: 'EIO', sinceMs: NOW.getTime() - 60_000 }),
        waits('b'),
        waits('b', { nextAttemptMs: NOW.getTime() + 5_000 }),
        waits('c', { sinceMs: NOW.getTime() - 300_000 }),
        waits('d', { dependency: 'storage', why: 'x', sinceMs: null, nextAttemptMs: null }),
      ],
      new Map([
        ['ingest/7/a', 100],
        ['ingest/7/b', 30],
        ['ingest/7/c', 12],
      ]),
    );
    expect(describeAway(away, NOW, plain).split('\n')).toEqual([
      'AWAY                SINCE      BATCHES  DOCUMENTS  NEXT ATTEMPT  WHY',
      'API of the service  12 min     2        42         in 5 s        no connection (ECONNREFUSED)',
      'share tender        60 s       1        100        in 23 s       EIO',
      'storage             not known  1                   now           x',
      'What needs it waits, and goes on by itself within a minute and a half of its return. Nothing has to be done here.',
    ]);
  });

  test('says now when any attempt is under way, and the reason that most have', () => {
    const [one] = groupByDependency(
      [waits('a', { why: 'x' }), waits('b'), waits('c', { nextAttemptMs: null })],
      new Map(),
    );
    expect(one).toMatchObject({ nextAttemptMs: null, why: 'no connection (ECONNREFUSED)', batches: 3 });
  });

  test('is nothing when nothing waits', () => {
    expect(groupByDependency([], new Map())).toEqual([]);
  });
});

describe('batches that wait for a person', () => {
  const blocked = (batchId: string, text: string, minutes: number) => ({
    batchId,
    progress: {
      batchId,
      share: 'tender',
      documents: 3,
      stages: {},
      held: [],
      blocked: {
        reason: { code: 'ACCESS_DENIED', text, fix: 'Grant it.' },
        sinceMs: NOW.getTime() - minutes * 60_000,
      },
    },
  });
  const style = { command: 'drawbridge', now: NOW, paint: plain };

  test('are one entry for each reason', () => {
    const batches = [1, 2, 3, 4, 5].map(n => blocked(`b-${n}`, 'No permission.', 10 * n));
    expect(describeBlocked([...batches, blocked('b-9', 'Signed out.', 3)], style)).toEqual([
      '  5 batches  No permission. Grant it.',
      '    b-1, b-2, b-3 and 2 more',
      '    since 50 min; once repaired: drawbridge resume --reason ACCESS_DENIED',
      '  b-9  Signed out. Grant it.',
      '    since 3 min; once repaired: drawbridge resume b-9',
    ]);
  });

  test('are not those that run', () => {
    expect(describeBlocked([{ batchId: 'b-1', progress: undefined }], style)).toEqual([]);
  });
});
