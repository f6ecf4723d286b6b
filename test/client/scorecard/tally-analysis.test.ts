import type { ReceiptRow } from '../../../activities/share/batch/kept-receipt';
import { NO_TYPE, OTHER_TYPES, sumTypes, Tally } from '../../../client/scorecard/tally-analysis';

function row(
  type: string | undefined,
  analysis?: ReceiptRow['analysis'],
  more: readonly (readonly [label: string, value: string, from: string])[] = [],
  outcome: ReceiptRow['outcome'] = 'submitted',
): ReceiptRow {
  const typed = type === undefined ? [] : [{ label: 'Type', value: type, from: 'service' }];
  const stored = [...typed, ...more.map(([label, value, from]) => ({ label, value, from }))];
  return { index: 0, path: 'a.pdf', outcome, stored, notes: [], sizeBytes: 1, ...(analysis && { analysis }) };
}

function tallyOf(...files: ReceiptRow[]): Tally {
  const tally = new Tally();
  tally.add({ claimedAt: '2026-02-03T10:00:00.000Z', files });
  return tally;
}

const onlyType = (...files: ReceiptRow[]) => [...tallyOf(...files).types.values()][0];

const NOTHING = { found: 0, lacked: 0, agreed: 0, overruled: 0, givenBefore: 0 };

test.each([
  ['found, and left as it is', { found: ['Number'] }, 'service', { found: 1 }],
  ['left empty, and a default came', { lacked: ['Number'] }, 'default', { lacked: 1 }],
  ['given in the register before', {}, 'row B', { givenBefore: 1 }],
  [
    'found, and a person said the same in other letters',
    { found: ['Number'], replaced: [{ label: 'Number', value: 'a-1 ' }] },
    'person',
    { found: 1, agreed: 1 },
  ],
  [
    'found, and a person said another',
    { found: ['Number'], replaced: [{ label: 'Number', value: 'B-1' }] },
    'person',
    { found: 1, overruled: 1 },
  ],
])('a field that was %s', (_, analysis, from, counts) => {
  const tally = onlyType(row('Drawing', { waitedMs: 9, ...analysis }, [['Number', 'A-1', from]]));
  expect(tally?.fields.get('Number')).toEqual({ label: 'Number', ...NOTHING, ...counts });
});

test('a value of the service that the analysis did not find is counted nowhere', () => {
  const tally = onlyType(row('Drawing', { waitedMs: 9 }, [['Name', 'a.pdf', 'service']]));
  expect([...(tally?.fields.keys() ?? [])]).toEqual([]);
});

test('documents of which nothing is kept are counted as such, skipped and unsent ones not at all', () => {
  const tally = onlyType(
    row('Drawing'),
    row('Drawing', { waitedMs: 5_000 }),
    row('Drawing', { waitedMs: 180_000, end: 'late' }),
    row('Drawing', { waitedMs: 7_000, end: 'failed' }, [], 'set-apart'),
    row(undefined, undefined, [], 'set-apart'),
    row('Drawing', undefined, [], 'skipped'),
  );
  expect(tally).toMatchObject({ documents: 4, waited: 3, late: 1, failed: 1 });
  expect(tally?.waits).toMatchObject({ medianMs: 7_000, longestMs: 180_000 });
});

test('by type, and over all types; those beyond a number together', () => {
  const found = { waitedMs: 9, found: ['Number'] };
  const tally = tallyOf(row('Drawing', found), row('Drawing', found), row(undefined, found));
  expect([...tally.types].map(([type, { documents }]) => [type, documents])).toEqual([
    ['Drawing', 2],
    [NO_TYPE, 1],
  ]);
  expect(sumTypes(tally.types.values())).toMatchObject({ documents: 3, waited: 3 });
  expect(sumTypes(tally.types.values()).fields.get('Number')).toMatchObject({ found: 3 });
  const many = tallyOf(...Array.from({ length: 300 }, (_, at) => row(`Type ${at}`)));
  expect(many.types.size).toBe(201);
  expect(many.types.get(OTHER_TYPES)?.documents).toBe(100);
});

test('the days of its batches', () => {
  const tally = new Tally();
  for (const claimedAt of [
    '2026-02-03T10:00:00.000Z',
    '2026-01-03T10:00:00.000Z',
    '2026-01-09T10:00:00.000Z',
  ])
    tally.add({ claimedAt, files: [] });
  expect(tally).toMatchObject({
    batches: 3,
    from: '2026-01-03T10:00:00.000Z',
    to: '2026-02-03T10:00:00.000Z',
  });
});

test('what was found in a file that was set apart is compared with the register that it came again with', () => {
  const apart = {
    ...row('Letter', { waitedMs: 9, found: ['Type', 'Number'] }, [['Number', 'A-1', 'service']]),
    sha256: 'x',
  };
  const again = {
    ...row(undefined, undefined, [
      ['Type', 'Drawing', 'row C'],
      ['Number', 'a-1', 'row B'],
    ]),
    sha256: 'x',
  };
  const tally = tallyOf({ ...apart, outcome: 'set-apart' }, again, again);
  const fields = tally.types.get('Letter')?.fields;
  expect(fields?.get('Type')).toMatchObject({ found: 1, agreed: 0, overruled: 1 });
  expect(fields?.get('Number')).toMatchObject({ found: 1, agreed: 1, overruled: 0 });
  const byDefault = { ...row(undefined, undefined, [['Type', 'Document', 'default']]), sha256: 'x' };
  const untold = tallyOf({ ...apart, outcome: 'set-apart' }, byDefault).types.get('Letter')?.fields;
  expect(untold?.get('Type')).toMatchObject({ agreed: 0, overruled: 0 });
  // What became a revision at once and was sent again later says nothing of what had been found.
  expect(tallyOf(apart, again).types.get('Letter')?.fields.get('Type')).toMatchObject({ overruled: 0 });
});
