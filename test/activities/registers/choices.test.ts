import { resolveCandidate } from '../../../activities/host/resolve-value';
import { choicesOf } from '../../../activities/registers/choices';

const STATES = [
  { id: 's1', label: 'For construction', alternatives: ['A4'], active: true },
  { id: 's2', label: 'For review', alternatives: [], active: true },
  { id: 's3', label: 'Draft', alternatives: ['D'], active: false },
  { id: 's4', label: 'for  REVIEW', alternatives: ['S3'], active: true },
];

test.each([
  's1',
  'A4',
  'for_construction',
  'For construction (A4)',
  'For construction (s1)',
  'draft',
  'D',
  'FOR REVIEW',
  'IFC',
])('%s means what it means elsewhere, the first time and the next', text => {
  const choices = choicesOf(STATES);
  for (const _ of [1, 2]) expect(choices.resolve(text)).toEqual(resolveCandidate(text, STATES));
});

test('a column of the wrong kind is told without comparing all with all', () => {
  const rooms = Array.from({ length: 1_000 }, (_, at) => ({
    id: `r${at}`,
    label: `Room ${at}`,
    alternatives: [`R-${at}`],
    active: true,
  }));
  const choices = choicesOf(rooms);
  const kinds = Array.from({ length: 5_000 }, (_, at) => choices.resolve(`A-${at}-0001`));
  expect(kinds[0]).toMatchObject({
    kind: 'unknown',
    nearest: [expect.any(String), expect.any(String), expect.any(String)],
  });
  expect(kinds.at(-1)).toEqual({ kind: 'unknown', nearest: [] });
  expect(choices.resolve('room 7')).toEqual({ kind: 'resolved', value: 'r7' });
});
