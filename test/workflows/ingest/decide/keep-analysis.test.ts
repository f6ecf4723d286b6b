import { concludeAnalysis, endAnalysis } from '../../../../workflows/ingest/decide/keep-analysis';

const TYPE = { label: 'Type', value: 'Drawing', from: 'service' };
const STORED = [
  TYPE,
  { label: 'Number', value: 'A-101', from: 'row B' },
  { label: 'Name', value: 'a.pdf', from: 'service' },
];

const read = (more: object = {}) => ({ analysed: true, analysisFailed: false, stored: STORED, ...more });

test.each([
  ['nobody says that there was one', {}, 0, undefined],
  ['it found nothing', { analysis: { waitedMs: 9 } }, 0, { waitedMs: 9, found: [] }],
  [
    'it found one and left one',
    { analysis: { waitedMs: 9, found: ['Type'], lacked: ['Status'] } },
    0,
    { waitedMs: 9, found: [{ label: 'Type', value: 'Drawing' }], lacked: ['Status'] },
  ],
  ['an event cut the wait', { analysis: { waitedMs: 0 } }, 4_000, { waitedMs: 4_000, found: [] }],
  [
    'failed',
    { analysisFailed: true, analysis: { waitedMs: 9 } },
    0,
    { waitedMs: 9, end: 'failed', found: [] },
  ],
  ['late', { analysed: false, analysis: { waitedMs: 9 } }, 0, { waitedMs: 9, end: 'late', found: [] }],
])('what is kept when %s', (_, more, waitedMs, kept) => {
  expect(endAnalysis(read(more), waitedMs)).toEqual(kept);
});

const found = [
  { label: 'Type', value: 'Drawing' },
  { label: 'Revision', value: 'A' },
];

test.each([
  ['all of it stayed', [TYPE, { label: 'Revision', value: 'A', from: 'service' }], undefined],
  ['a person said the same', [{ ...TYPE, from: 'person' }], [found[0]]],
  ['a person said another', [{ label: 'Revision', value: 'B', from: 'person' }], [found[1]]],
  ['somebody changed it in the service', [{ label: 'Revision', value: 'B', from: 'service' }], [found[1]]],
  ['the receipt does not show it any more', [], undefined],
])('what was found is kept where %s', (_, stored, replaced) => {
  const ended = { waitedMs: 9, lacked: ['Status'], found };
  expect(concludeAnalysis(ended, stored)).toEqual({
    waitedMs: 9,
    lacked: ['Status'],
    found: ['Type', 'Revision'],
    ...(replaced === undefined ? {} : { replaced }),
  });
});
