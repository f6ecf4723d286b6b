// What a run has made is known from its own field, and from the sentences of an earlier release.
import { madeOf } from '../../../client/import/observation-made';

test('what the run says that it has made counts, whatever its sentences are', () => {
  const made = { id: '510001', missingFiles: 'It has gone.' };
  const step = 'Observation 7 is open; waits for the signal "workDone"';
  expect(madeOf({ step, notes: ['Files are missing: others'], made })).toEqual(made);
});

test.each<[string, string, readonly string[], unknown]>([
  ['still makes it', 'Making the observation', [], undefined],
  ['waits', 'Observation 510001 is open; waits for the signal "workDone"', [], { id: '510001' }],
  [
    'waits, with files missing',
    'Observation 510001 is in review; waits for the signal "reviewed"',
    ['Observation 510001 is there.', 'Files are missing: It has gone.'],
    { id: '510001', missingFiles: 'It has gone.' },
  ],
])('a run of an earlier release that %s is understood', (_, step, notes, made) => {
  expect(madeOf({ step, notes })).toEqual(made);
});
