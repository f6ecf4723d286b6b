import fc from 'fast-check';
import { matchFiles } from '../../../activities/registers/match-files';
import { startCpuTimer } from '../../setup/cpu-time';

const PATHS = [
  'plans/A-1.pdf',
  'plans/A-1.dwg',
  'plans/A-2.pdf',
  'Höhe.pdf',
  'notes/v1.2.txt',
  'old/A-3.pdf',
  'new/A-3.pdf',
];
const match = (files: readonly string[], paths: readonly string[] = PATHS, jobName = 'TR-0142') =>
  matchFiles(
    files.map((file, at) => ({ number: at + 2, file })),
    paths,
    jobName,
  );

test.each([
  ['as it is', 'plans/A-1.pdf', 'plans/A-1.pdf'],
  ['in another case', 'PLANS/a-1.PDF', 'plans/A-1.pdf'],
  ['with backslashes', 'plans\\A-1.pdf', 'plans/A-1.pdf'],
  ['from here', './plans/A-2.pdf', 'plans/A-2.pdf'],
  ['from the folder of the job', 'tr-0142/plans/A-2.pdf', 'plans/A-2.pdf'],
  ['from a drive', 'P:\\Projects\\TR-0142\\plans\\A-2.pdf', 'plans/A-2.pdf'],
  ['without its ending', 'plans/A-2', 'plans/A-2.pdf'],
  ['with a point that is no ending', 'notes/v1.2', 'notes/v1.2.txt'],
  ['without folders', 'A-2.pdf', 'plans/A-2.pdf'],
  ['without folders and ending', 'a-2', 'plans/A-2.pdf'],
  ['in another Unicode form', 'HO\u0308HE.pdf', 'Höhe.pdf'],
  ['with blanks around it', '  A-2.pdf ', 'plans/A-2.pdf'],
])('a file written %s is found', (_, file, path) => {
  expect(match([file]).pairs).toEqual([{ row: 2, path }]);
});

test('a row that could mean several files is ambiguous, with all of them', () => {
  const { pairs, ambiguous, unlisted } = match(['plans/A-1', 'A-3.pdf']);
  expect(pairs).toEqual([]);
  expect(ambiguous).toEqual([
    { row: 2, paths: ['plans/A-1.pdf', 'plans/A-1.dwg'] },
    { row: 3, paths: ['old/A-3.pdf', 'new/A-3.pdf'] },
  ]);
  expect(unlisted).toEqual(['plans/A-2.pdf', 'Höhe.pdf', 'notes/v1.2.txt']);
});

test('the closest way of writing decides: a file at the top before one in a folder, case where it matters', () => {
  expect(match(['x.pdf'], ['sub/x.pdf', 'x.pdf']).pairs).toEqual([{ row: 2, path: 'x.pdf' }]);
  expect(match(['X.pdf', 'x.pdf'], ['x.pdf', 'X.pdf']).pairs).toEqual([
    { row: 2, path: 'X.pdf' },
    { row: 3, path: 'x.pdf' },
  ]);
  expect(match(['x.PDF'], ['x.pdf', 'X.pdf']).ambiguous).toHaveLength(1);
});

test('a folder that is called like the job leaves a row in doubt only where the file could be either one', () => {
  const inPlans = (file: string, paths: readonly string[]) => {
    const { pairs, ambiguous } = match([file], paths, 'Plans');
    return [...pairs.map(({ path }) => path), ...ambiguous.flatMap(each => each.paths)];
  };
  for (const file of ['Plans/x.pdf', 'plans\\X.PDF', 'Plans/x'])
    expect(inPlans(file, ['x.pdf', 'Plans/x.pdf', 'y.pdf'])).toEqual(['Plans/x.pdf', 'x.pdf']);
  for (const file of ['P:\\Plans\\Plans\\x.pdf', 'Plans/Plans/x.pdf'])
    expect(inPlans(file, ['x.pdf', 'Plans/x.pdf'])).toEqual(['Plans/x.pdf']);
  expect(inPlans('Plans/x', ['x.pdf', 'x.dwg', 'Plans/x.pdf'])).toEqual(['x.pdf', 'x.dwg']);
  expect(inPlans('Plans/x', ['x.pdf', 'Plans/x.dwg', 'Plans/x.pdf'])).toEqual(['Plans/x.dwg', 'Plans/x.pdf']);
  expect(inPlans('Plans/x.pdf', ['x.pdf', 'Plans/y.pdf'])).toEqual(['x.pdf']);
  expect(inPlans('Plans/x.pdf', ['old/x.pdf', 'Plans/x.pdf'])).toEqual(['Plans/x.pdf']);
  expect(inPlans('Plans/x.pdf', ['x.pdf', 'old/Plans/x.pdf'])).toEqual(['x.pdf']);
  expect(inPlans('x.pdf', ['x.pdf', 'Plans/x.pdf'])).toEqual(['x.pdf']);
  expect(match(['Plans/x.pdf', 'y.pdf'], ['x.pdf', 'Plans/x.pdf', 'y.pdf'], 'Plans').pairs).toEqual([
    { row: 3, path: 'y.pdf' },
  ]);
});

const SEVERAL = ['a/1.pdf', 'a/2.pdf', 'b/3.pdf'];

test.each([
  ['a whole path', ['plans/A-1.pdf', 'a-2.PDF'], ['plans/A-1.pdf', 'A-2.pdf'], []],
  ['the only row, found in a folder', ['A-1.pdf'], ['superseded/A-1.pdf'], [2]],
  ['the only row, without its folder and ending', ['A-1'], ['superseded/A-1.pdf'], [2]],
  ['the only row, without its ending', ['A-1'], ['A-1.dwg'], []],
  ['one row in a folder, beside one that is not', ['A-1.pdf', 'A-2.pdf'], ['old/A-1.pdf', 'A-2.pdf'], [2]],
  ['one row without the folder that another has', ['a/1.pdf', '2.pdf'], SEVERAL, [3]],
  ['all rows without folders', ['1.pdf', '2.pdf', '3.pdf'], SEVERAL, []],
  ['all rows without folders, though not all are there', ['1.pdf', '2.pdf', '4.pdf'], SEVERAL, []],
  ['all rows without folders and endings', ['1', '2', '3'], SEVERAL, []],
  ['all rows without endings', ['A-1', 'A-2'], ['A-1.pdf', 'A-2.PDF'], []],
  ['all rows without endings, of two kinds', ['A-1', 'A-2'], ['A-1.dwg', 'A-2.pdf'], [2, 3]],
  ['one row without its ending, of the kind of the others', ['A-1', 'A-2.pdf'], ['A-1.pdf', 'A-2.pdf'], []],
  ['one row without its ending, of another kind', ['A-1', 'A-2.pdf'], ['A-1.dwg', 'A-2.pdf'], [2]],
  ['beside a row that could mean two kinds', ['A-1', 'A-2'], ['A-1.dwg', 'A-1.pdf', 'A-2.dwg'], [3]],
])('whether what was found can be what was meant: %s', (_, files, paths, rows) => {
  const { doubtful, pairs } = match(files, paths);
  expect(doubtful.map(({ row }) => row)).toEqual(rows);
  // It is the file of its row all the same.
  for (const { row, path } of doubtful) expect(pairs).toContainEqual({ row, path });
});

test('two rows for one file are told, and neither counts', () => {
  const { pairs, twice } = match(['A-2.pdf', 'Höhe', 'plans/A-2']);
  expect(pairs).toEqual([{ row: 3, path: 'Höhe.pdf' }]);
  expect(twice).toEqual([{ path: 'plans/A-2.pdf', rows: [2, 4] }]);
});

test('a row whose file is not there is told with the nearest that no row has, one without a name by itself', () => {
  const { missing, unnamed } = match(['plans/A-22.pdf', '', 'Hohe', 'zzz']);
  expect(missing).toEqual([
    { row: 2, file: 'plans/A-22.pdf', nearest: ['plans/A-2.pdf'] },
    { row: 4, file: 'Hohe', nearest: ['Höhe.pdf'] },
    { row: 5, file: 'zzz', nearest: [] },
  ]);
  expect(unnamed).toEqual([3]);
});

test.each(['__proto__', 'constructor', '..', '/', '\\', '../../etc/passwd', 'a//b', '.pdf'])(
  'the file %j is a name like others',
  file => {
    expect(match([file]).missing).toHaveLength(1);
    expect(match([file], PATHS, '').missing).toHaveLength(1);
  },
);

test('every row and every file is accounted for once', () => {
  const part = fc.stringMatching(/^[aAé1.]{1,3}$/);
  const path = fc.array(part, { minLength: 1, maxLength: 2 }).map(parts => parts.join('/'));
  fc.assert(
    fc.property(fc.array(fc.option(path, { nil: '' })), fc.uniqueArray(path), (files, paths) => {
      const { pairs, doubtful, missing, unnamed, ambiguous, twice, unlisted } = match(files, paths);
      const rows = [
        ...pairs.map(({ row }) => row),
        ...missing.map(({ row }) => row),
        ...unnamed,
        ...ambiguous.map(({ row }) => row),
        ...twice.flatMap(each => each.rows),
      ];
      expect(rows.sort((a, b) => a - b)).toEqual(files.map((_, at) => at + 2));
      const taken = new Set([
        ...pairs.map(pair => pair.path),
        ...ambiguous.flatMap(each => each.paths),
        ...twice.map(each => each.path),
      ]);
      expect([...taken, ...unlisted].sort()).toEqual([...paths].sort());
      expect(new Set(pairs.map(pair => pair.path)).size).toBe(pairs.length);
      for (const { row, path } of doubtful) expect(pairs).toContainEqual({ row, path });
    }),
    { numRuns: 200, seed: 7 },
  );
});

test('5,000 rows of which none is there are matched in a moment', () => {
  const files = Array.from({ length: 5_000 }, (_, at) => `B-${at}-0001.pdf`);
  const paths = Array.from({ length: 5_000 }, (_, at) => `plans/of/A-${at}-0002.pdf`);
  const cpuMs = startCpuTimer();
  expect(match(files, paths).missing).toHaveLength(5_000);
  expect(cpuMs()).toBeLessThan(10_000);
});

test('5,000 rows that could each mean any of 5,000 files are told in a moment', () => {
  const paths = Array.from({ length: 5_000 }, (_, at) => `folder ${at}/plan.pdf`);
  const cpuMs = startCpuTimer();
  const { ambiguous, unlisted } = match(
    paths.map(() => 'plan.pdf'),
    paths,
  );
  expect(cpuMs()).toBeLessThan(1_000);
  expect([ambiguous.length, ambiguous.at(-1)?.paths.length, unlisted]).toEqual([5_000, 5_000, []]);
});
