import { tallyForetold } from '../../../activities/registers/words/foretold-words';
import type { CheckReport } from '../../../activities/test-run/check-report';
import { describeTest } from '../../../client/check/describe-test';

const REASON = {
  code: 'register-row',
  text: 'Row 3, column D: "Nonsense" is none of them.',
  fix: 'Correct it.',
};

function report(change: Partial<CheckReport> = {}): CheckReport {
  return {
    test: true,
    folder: 'TR-0142',
    share: 'tender',
    project: { companyId: '1', projectId: '7001' },
    testedAt: '2026-02-03T09:00:00Z',
    zone: 'Europe/Berlin',
    tally: tallyForetold(['through', 'held', 'not-there']),
    register: 'Register.xlsx',
    files: [
      { path: 'TR-0142/A-1.pdf', row: 2, sizeBytes: 9, foretold: 'through', values: [], notes: [] },
      {
        path: 'TR-0142/A-2.pdf',
        row: 3,
        sizeBytes: 9,
        foretold: 'held',
        reason: REASON,
        values: [],
        notes: [],
      },
    ],
    notThere: [{ row: 4, file: 'A-3', text: 'Row 4 lists "A-3", which did not come with it.' }],
    ignored: ['Thumbs.db'],
    left: [],
    notices: [],
    batches: 1,
    cost: { documents: 1, bytes: 9, requests: { least: 15, most: 17 }, limitMs: 0 },
    onlyService: ['What it finds.'],
    ...change,
  };
}

const plain = (_colour: unknown, text: string) => text;

test('first a sum that adds up, then only what is wrong, with row, column and what to do', () => {
  const lines = describeTest(report(), plain).split('\n');
  expect(lines[0]).toBe('TEST of "TR-0142" for share tender (project 7001). Nothing was sent or moved.');
  expect(lines.slice(2, 6)).toEqual([
    '  1  would go through',
    '  1  would be held',
    '  1  listed, not there',
    '  3  in all, by Register.xlsx',
  ]);
  const text = lines.join('\n');
  expect(text).toContain(
    'Would be held\n  row 3  A-2.pdf\n      Row 3, column D: "Nonsense" is none of them.\n      -> Correct it.',
  );
  expect(text).toContain('Listed, not there\n  row 4  A-3\n');
  expect(text).not.toContain('A-1.pdf');
  expect(text).toContain('1 file, 9 bytes, in one batch: 15 to 17 requests.');
  expect(text).toContain('Left where they lie: Thumbs.db.');
});

test('what could not be compared is said, and names cannot play tricks on the terminal', () => {
  const name = 'TR-0142/\u001b[2J.pdf';
  const file = { path: name, sizeBytes: 9, foretold: 'held', reason: REASON, values: [], notes: [] } as const;
  const text = describeTest(
    report({ files: [file], notCompared: 'share tender: it is not mounted here' }),
    plain,
  );
  expect(text).not.toContain('\u001b');
  expect(text).toContain('Duplicates were not looked for: share tender: it is not mounted here.');
});
