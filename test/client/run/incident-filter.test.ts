// The live view shows each incident once, although several parts of a process notice it.
import { IncidentFilter } from '../../../client/run/incident-filter';
import type { LogRecord } from '../../../workers/logging';

let filter: IncidentFilter;
beforeEach(() => {
  filter = new IncidentFilter();
});

const REASON = { code: 'ACCESS_DENIED', text: 'No permission.', fix: 'Grant it.' };

function shown(...records: LogRecord[]): LogRecord[] {
  return records.flatMap(record => {
    const passed = filter.pass(record);
    return passed === undefined ? [] : [passed];
  });
}

test('shows an absent share once, whether the watcher or the worker said so first', () => {
  const watcher = { event: 'share-away', share: 'tender', why: 'not mounted' };
  const worker = { event: 'dependency-away', dependency: 'share', share: 'tender', why: 'EIO' };
  expect(shown(worker, watcher)).toEqual([worker]);
  const back = { event: 'share-back', share: 'tender' };
  expect(shown(back, { event: 'dependency-back', dependency: 'share', share: 'tender' })).toEqual([back]);
  expect(shown(watcher)).toEqual([watcher]);
});

test('tells shares, and dependencies, apart', () => {
  const records = [
    { event: 'share-away', share: 'a' },
    { event: 'share-away', share: 'b' },
    { event: 'dependency-away', dependency: 'api' },
    { event: 'dependency-away', dependency: 'storage' },
  ];
  expect(shown(...records)).toEqual(records);
});

test('shows Temporal once, however many shares wait for it', () => {
  const records = ['a', 'b'].map(share => ({ event: 'temporal-away', share, why: 'ServiceError' }));
  expect(shown(...records, { event: 'dependency-away', dependency: 'temporal' })).toEqual([records[0]]);
  expect(shown({ event: 'temporal-back', share: 'b' }, { event: 'temporal-back', share: 'a' })).toHaveLength(
    1,
  );
});

test('says nothing of the return of what it never called away', () => {
  expect(shown({ event: 'dependency-back', dependency: 'api' })).toEqual([]);
});

test('shows forty batches that wait for the same once, and that all of them go on', () => {
  const batches = Array.from({ length: 40 }, (_, n) => `b-${n}`);
  const blocked = batches.map(batchId => ({ event: 'batch-blocked', batchId, reason: REASON }));
  expect(shown(...blocked)).toEqual([blocked[0]]);
  const resumed = batches.map(batchId => ({ event: 'batch-resumed', batchId }));
  expect(shown(...resumed)).toEqual([{ event: 'batch-resumed', batchId: 'b-39', batches: 40 }]);
});

test('shows a batch by itself as it is, and another reason by itself', () => {
  const one = { event: 'batch-blocked', batchId: 'b-1', reason: REASON };
  const other = { event: 'batch-blocked', batchId: 'b-2', reason: { ...REASON, text: 'Another.' } };
  const on = { event: 'batch-resumed', batchId: 'b-1' };
  expect(shown(one, other, on)).toEqual([one, other, on]);
});

const OTHER = { ...REASON, code: 'LOGIN_REQUIRED', text: 'Signed out.' };
const blocked = (batchId: string, reason = REASON) => ({ event: 'batch-blocked', batchId, reason });

test('a batch waits for the latest of several reasons, and is no ghost behind the others', () => {
  const on = { event: 'batch-resumed', batchId: 'b-1' };
  expect(shown(blocked('b-1', OTHER), blocked('b-1'), on)).toEqual([
    blocked('b-1', OTHER),
    blocked('b-1'),
    on,
  ]);
  // For each of the two reasons another batch is the first again.
  const later = [blocked('b-2', OTHER), { ...on, batchId: 'b-2' }, blocked('b-3'), { ...on, batchId: 'b-3' }];
  expect(shown(...later)).toEqual(later);
});

test('a batch that says again what it waits for is not news', () => {
  expect(shown(blocked('b-1'), blocked('b-1'))).toEqual([blocked('b-1')]);
});

test.each(['batch-finished', 'batch-stopped', 'batch-moved'])('a batch is forgotten with %s', event => {
  const records = [blocked('b-1'), { event, batchId: 'b-1' }, blocked('b-2')];
  expect(shown(...records)).toEqual(records);
  const on = { event: 'batch-resumed', batchId: 'b-2' };
  expect(shown(on)).toEqual([on]);
});

test('of several that wait for one reason, who ends keeps the others’ going on in sight', () => {
  const on = { event: 'batch-resumed', batchId: 'b-2' };
  shown(blocked('b-1'), blocked('b-2'), { event: 'batch-stopped', batchId: 'b-1' });
  expect(shown(on)).toEqual([{ ...on, batches: 2 }]);
});

test('lets everything else through', () => {
  expect(shown({ event: 'file-claimed' }, { event: 'batch-resumed', batchId: 'unknown' })).toHaveLength(2);
});
