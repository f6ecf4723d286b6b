import { tallyOutcomes } from '../../../../../../activities/registers/words/outcome-words';
import type { JobSummary } from '../../../../../../client/console/contract/jobs';
import { holdOrder } from '../../../../../../client/console/page/views/jobs/order';

function job(name: string): JobSummary {
  return {
    share: 'tender',
    job: name,
    name,
    kind: 'folder',
    tally: tallyOutcomes(['held']),
    documents: 1,
    droppedAt: '2026-11-23T10:00:00Z',
    by: null,
    register: null,
    sizeBytes: null,
    endedAt: null,
    end: { kind: 'when-answered' },
    needs: null,
  };
}

test('rows keep their places; what is gone leaves, what is new waits', () => {
  const order = ['a', 'b', 'c'].map(name => job(name));
  const { shown, fresh } = holdOrder([job('new'), job('c'), job('a')], order);
  expect(shown.map(({ name }) => name)).toEqual(['a', 'c']);
  expect(fresh).toBe(1);
});

test('a folder that lay in the drop folder keeps its place when it is taken over, and only it', () => {
  const order = [{ ...job('a'), job: 'waiting' }, job('b')];
  const { shown, fresh } = holdOrder([job('new'), job('b'), job('a')], order);
  expect(shown.map(({ job: id }) => id)).toEqual(['a', 'b']);
  expect(fresh).toBe(1);
  const elsewhere = holdOrder([{ ...job('a'), share: 'other' }, job('b')], order);
  expect(elsewhere.shown.map(({ job: id }) => id)).toEqual(['b']);
  expect(elsewhere.fresh).toBe(1);
});
