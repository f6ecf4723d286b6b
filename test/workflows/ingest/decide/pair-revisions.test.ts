import { pairRevisions } from '../../../../workflows/ingest/decide/pair-revisions';

describe('pairRevisions', () => {
  test('one id for one document is certain', () => {
    expect(pairRevisions(['a'], ['R1'])).toEqual([{ item: 'a', revisionId: 'R1', paired: 'certain' }]);
  });

  test('equal counts pair in the order of the request, and are said to', () => {
    expect(pairRevisions(['a', 'b'], ['R2', 'R1'])).toEqual([
      { item: 'a', revisionId: 'R2', paired: 'by-order' },
      { item: 'b', revisionId: 'R1', paired: 'by-order' },
    ]);
  });

  test('nobody accepted and no ids is no pair', () => {
    expect(pairRevisions([], [])).toEqual([]);
  });

  test.each([
    ['fewer ids', ['a', 'b'], ['R1']],
    ['no ids', ['a'], []],
    ['more ids', ['a'], ['R1', 'R2']],
    ['ids for nobody', [], ['R1']],
    ['an id twice', ['a', 'b'], ['R1', 'R1']],
    ['an id twice among more', ['a', 'b'], ['R1', 'R1', 'R2']],
  ])('%s: nobody knows, so they are looked at', (_what, accepted, revisionIds) => {
    expect(pairRevisions(accepted, revisionIds)).toBe('look');
  });
});
