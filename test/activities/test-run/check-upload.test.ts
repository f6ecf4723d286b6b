// The test run of a job that is dropped on the page: nothing of it but its register has come.
import { MockActivityEnvironment } from '@temporalio/testing';
import type { Stops } from '../../../activities/ledger/served-ledgers';
import type { OpenUpload } from '../../../activities/share/jobs/uploads/open-upload';
import type { Share } from '../../../activities/share/share';
import { testReport } from '../../../activities/test-run/test-report';
import { createTestRunActivities, type TestRunDeps } from '../../../activities/test-run/test-run-activities';
import { createTestBed, simpleHasher, type TestBed } from '../share/share-test-bed';

const REGISTER = 'File,Number\nA-1.pdf,A-1\nA-2.pdf,A-2\nA-3.pdf,A-3\n';
const SHA = 'a'.repeat(64);

let bed: TestBed;
let share: Share;

beforeEach(async () => {
  bed = await createTestBed();
  share = await bed.open();
});
afterEach(async () => {
  await bed.remove();
});

async function check(upload: OpenUpload, stops: Stops = new Map()) {
  const seen: string[][] = [];
  const { checkFiles } = createTestRunActivities({
    share,
    lookups: {
      rules: async () => ({
        requirements: [],
        fields: [{ id: '1', name: 'number', label: 'Number', kind: 'text', isSettable: true }],
      }),
      candidates: async () => [],
      forget: () => undefined,
    } as unknown as TestRunDeps['lookups'],
    limits: () => [],
    hasher: simpleHasher,
    ledgers: {
      findStops: async ({ files }) => {
        seen.push(files.flatMap(({ sha256 }) => sha256 ?? []));
        return stops;
      },
    },
    draining: new AbortController().signal,
  });
  const run = () => checkFiles({ share: 'tender', folder: 'TR-0143', upload: upload.id });
  await new MockActivityEnvironment().run(run);
  return { report: testReport.parse(await upload.tests.read()), seen };
}

async function begin(...sizes: readonly number[]): Promise<OpenUpload> {
  const register = { path: 'register.csv', sizeBytes: REGISTER.length, modifiedMs: 1 };
  const files = sizes.map((sizeBytes, at) => ({ path: `A-${at + 1}.pdf`, sizeBytes, modifiedMs: 1 }));
  const begun = await share.uploads.begin(
    { name: 'TR-0143', files: [register, ...files] },
    { id: 'T. Harker', name: 'T. Harker' },
  );
  if (begun.kind !== 'begun') throw new Error('refused');
  const upload = await share.uploads.open(begun.state.id);
  if (upload === undefined) throw new Error('gone');
  async function* bytes() {
    yield Buffer.from(REGISTER);
  }
  await upload.write(0, 0, { bytes: bytes(), stop: () => undefined });
  return upload;
}

test('reasons that name their documents are one row, and what is said of each stands with it', async () => {
  const upload = await begin(10, 11, 12);
  const stop = (text: string) => ({
    kind: 'skip' as const,
    reason: { code: 'already-there' as const, text, fix: 'Nothing.' },
  });
  const { report } = await check(
    upload,
    new Map([
      [0, stop('Revision P01 of A-1.')],
      [1, stop('Revision P02 of A-2.')],
    ]),
  );
  expect(report.reasons).toEqual([
    expect.objectContaining({
      foretold: 'already-there',
      count: 2,
      why: expect.stringMatching(/^These very files were sent before/),
      rows: [
        expect.objectContaining({ file: 'A-1.pdf', why: 'Revision P01 of A-1.' }),
        expect.objectContaining({ file: 'A-2.pdf', why: 'Revision P02 of A-2.' }),
      ],
    }),
    expect.objectContaining({ foretold: 'through', count: 1 }),
  ]);
  expect(report.stays).toEqual([]);
});

test('a reason that names no document is said of several as of one', async () => {
  const upload = await begin(10, 11, 12);
  const reason = { code: 'not-there' as const, text: 'None of its name was sent before.', fix: 'Look.' };
  const stop = { kind: 'hold' as const, reason };
  const { report } = await check(upload, new Map([0, 1].map(at => [at, stop])));
  const [told] = report.reasons;
  expect(told).toMatchObject({ foretold: 'held', count: 2, why: reason.text, whatToDo: reason.fix });
  expect(told?.rows).toEqual([
    { row: 2, file: 'A-1.pdf', name: null },
    { row: 3, file: 'A-2.pdf', name: null },
  ]);
});

test('the same that is wrong in several rows is told once, and each row with its own place', async () => {
  const upload = await begin(10, 11, 12);
  const stop = (row: number, value: string) => ({
    kind: 'hold' as const,
    reason: {
      code: 'unknown-value',
      text: `In "register.csv": Row ${row}, column B: "${value}" for "Type" is none.`,
      fix: 'Correct it.',
    },
  });
  const stops = new Map([stop(2, 'Plam'), stop(3, 'Plam'), stop(4, 'Row')].entries());
  const { report } = await check(upload, stops as unknown as Stops);
  expect(report.reasons.map(({ count, why, rows }) => [count, why, rows.map(row => row.why)])).toEqual([
    [
      2,
      'In "register.csv": Column B: "Plam" for "Type" is none.',
      [
        'In "register.csv": Row 2, column B: "Plam" for "Type" is none.',
        'In "register.csv": Row 3, column B: "Plam" for "Type" is none.',
      ],
    ],
    [
      1,
      'In "register.csv": Row 4, column B: "Row" for "Type" is none.',
      ['In "register.csv": Row 4, column B: "Row" for "Type" is none.'],
    ],
  ]);
});

test('it is judged by its register, names and sizes; what is not there, empty or not compared is said', async () => {
  const upload = await begin(5_000_000, 0);
  await upload.tests.begin([null, SHA, null]);
  expect(await upload.tests.read()).toBeUndefined();
  const { report, seen } = await check(upload);
  expect(report).toMatchObject({
    register: 'register.csv',
    tally: { through: 1, 'set-apart': 1, 'not-there': 1 },
    compared: { files: 1, all: 2 },
    stays: ['A-2.pdf'],
    format: 'csv',
  });
  expect(seen).toEqual([[SHA]]);
  expect(report.reasons.map(({ foretold, count, rows }) => [foretold, count, rows[0]])).toEqual([
    ['not-there', 1, { row: 4, file: 'A-3.pdf', name: null }],
    ['set-apart', 1, { row: 3, file: 'A-2.pdf', name: null }],
    ['through', 1, expect.objectContaining({ row: 2, file: 'A-1.pdf' })],
  ]);
  expect((await upload.tests.readSheet())?.toString()).toContain('A-3');
  expect(await bed.list('drop')).toEqual([]);
  expect(await bed.list('test')).toEqual([]);
  // Another test run begins without the result of the one before.
  await upload.tests.begin([]);
  expect(await upload.tests.readSheet()).toBeUndefined();
});
