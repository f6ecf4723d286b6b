// What a person in front of the terminal reads for each thing that happens.
import type { NarratorContext } from '../../../client/run/narrated-line';
import { narrate, renderLine } from '../../../client/run/narrator';
import { createPaint } from '../../../client/session/terminal-text';
import type { LogRecord } from '../../../workers/logging';

const CONTEXT: NarratorContext = {
  folderOf: share => (share === 'tender' ? '/mnt/tender' : undefined),
  command: 'drawbridge',
};
const AT = new Date(2026, 0, 31, 9, 30, 5);
const plainText = createPaint({ isTTY: false });

function render(record: LogRecord): string | undefined {
  const narrated = narrate(record, CONTEXT);
  return narrated && renderLine(narrated, AT, plainText);
}

const DOCUMENT = { event: 'document', share: 'tender', batchId: 'b-1', path: 'A/x.pdf' };
const REASON = { code: 'missing-values', text: 'Discipline is missing.', fix: 'Give a value.' };

describe('the live view', () => {
  test.each<[string, LogRecord, string]>([
    [
      'a claim',
      { event: 'file-claimed', share: 'tender', batchId: 'b-1', path: 'A/x.pdf', sizeBytes: 1_536 },
      '09:30:05  claimed   A/x.pdf  1.5 KiB, batch b-1',
    ],
    ['a transfer', { ...DOCUMENT, stage: 'sent' }, '09:30:05  sent      A/x.pdf'],
    [
      'a revision',
      { ...DOCUMENT, stage: 'submitted', revisionId: '01R' },
      '09:30:05  revision  A/x.pdf  01R',
    ],
    [
      'a revision whose id was lost',
      { ...DOCUMENT, stage: 'submitted', revisionId: null },
      '09:30:05  revision  A/x.pdf  submitted; its id was lost with the answer',
    ],
    [
      'a document set apart, with the fix',
      { ...DOCUMENT, stage: 'set-apart', reason: REASON },
      '09:30:05  set apart A/x.pdf  Discipline is missing.\n                    Give a value.',
    ],
    [
      'a batch at its end, with the receipts',
      {
        event: 'batch-finished',
        share: 'tender',
        batchId: 'b-1',
        submitted: 1,
        setApart: 2,
        held: 0,
        receipts: ['done/b-1/receipt.csv', 'done/b-1/receipt.json'],
      },
      '09:30:05  finished  batch b-1  1 revision, 2 set apart\n                    receipt: /mnt/tender/done/b-1/receipt.csv',
    ],
    [
      'a document that is there already',
      { ...DOCUMENT, stage: 'skipped', reason: REASON },
      '09:30:05  skipped   A/x.pdf  Discipline is missing.',
    ],
    [
      'a batch of which some were there already',
      {
        event: 'batch-finished',
        share: 'tender',
        batchId: 'b-1',
        submitted: 1,
        setApart: 0,
        skipped: 20,
        held: 0,
        receipts: [],
      },
      '09:30:05  finished  batch b-1  1 revision, 20 skipped: there already',
    ],
    [
      'a share that another Temporal watches, with when it changes hands',
      {
        event: 'watched-elsewhere',
        share: 'tender',
        namespace: 'default',
        address: '127.0.0.1:7233',
        holderHost: 'office',
        batches: 1,
        takeOverMs: 900_000,
      },
      [
        '09:30:05  watched   share tender  by another Temporal: namespace "default" at 127.0.0.1:7233, on office',
        'what is dropped is claimed and carried by that one: look there; nothing is claimed or started here',
        'once it has stood still for 15 min, this one goes on by itself',
        'if it is gone for good, at once: drawbridge resume --take-over',
      ].join(`\n${' '.repeat(20)}`),
    ],
    [
      'a share that cannot be used, each fault on a line of its own',
      {
        event: 'share-unusable',
        share: 'tender',
        error: { message: 'Cannot be used:\n- shareKey: another' },
      },
      `09:30:05  unusable  share tender  it cannot be used yet; trying again\n${' '.repeat(20)}Cannot be used:\n${' '.repeat(20)}- shareKey: another`,
    ],
    [
      'a run that is no batch and waits for a person',
      { event: 'run-blocked', workflowId: 'permission-template/7001/ada', reason: REASON },
      '09:30:05  waits     permission-template/7001/ada  Discipline is missing.\n                    Give a value.\n                    goes on by itself once that is repaired; at once with: drawbridge resume permission-template/7001/ada',
    ],
    [
      'a corrected sheet that was dropped by itself',
      { event: 'sheet-dropped', share: 'tender', path: 'drop/a.csv', movedTo: 'attention/A/dropped-a.csv' },
      '09:30:05  corrected drop/a.csv  lies as attention/A/dropped-a.csv now, to be read',
    ],
    [
      'work beside the claiming of files that a bug keeps from being done',
      {
        event: 'chore-failed',
        share: 'tender',
        chore: 'status pages',
        why: 'TypeError: x at page (page.js:1:2)',
      },
      '09:30:05  waits     share tender  status pages: TypeError: x at page (page.js:1:2)',
    ],
    [
      'a job that cannot be ended just now',
      { event: 'job-damaged', share: 'tender', job: 'Package A', why: 'EACCES' },
      '09:30:05  waits     Package A  EACCES',
    ],
    [
      'a folder that waits for files which its register lists',
      {
        event: 'register-waits',
        path: 'Package A',
        register: 'register.xlsx',
        missing: 7,
        named: ['A-1.pdf', 'A-2.pdf'],
        waitMs: 600_000,
      },
      [
        '09:30:05  waits     Package A  for 7 files that its register lists ("register.xlsx")',
        'not there: A-1.pdf, A-2.pdf and 5 more',
        'it goes once they are there, and without them in 10 min at the latest',
      ].join(`\n${' '.repeat(20)}`),
    ],
    [
      'the receipt of a folder',
      {
        event: 'job-settled',
        job: 'Package A',
        place: 'Package A',
        receipts: ['done/Package A/receipt.xlsx'],
      },
      '09:30:05  finished  Package A\n                    receipt: done/Package A/receipt.xlsx',
    ],
    [
      'an outage of the share',
      { event: 'share-away', share: 'tender', why: 'not mounted' },
      '09:30:05  away      share tender  not mounted; waiting for it',
    ],
    [
      'an outage of the service, and where the rest is told',
      { event: 'dependency-away', dependency: 'api', why: 'no connection (ECONNREFUSED)', again: false },
      '09:30:05  away      API of the service  no connection (ECONNREFUSED)\n                    what needs it waits and goes on by itself; how much waits: drawbridge status',
    ],
    [
      'that it is away again, and Temporal, which alone could tell more',
      { event: 'dependency-away', dependency: 'temporal', why: 'it does not answer', again: true },
      '09:30:05  away      Temporal  again; it does not answer\n                    what needs it waits and goes on by itself',
    ],
    [
      'the end of an outage, with how much had waited',
      {
        event: 'dependency-back',
        dependency: 'share',
        share: 'tender',
        lastedMs: 720_000,
        batches: 10,
        documents: 100,
        others: 1,
      },
      '09:30:05  back      share tender  after 12 min; 10 batches with 100 documents and 1 other run waited and go on',
    ],
    [
      'the end of one that nobody waited for',
      { event: 'dependency-back', dependency: 'storage', lastedMs: 5_000 },
      '09:30:05  back      storage  after 5 s',
    ],
    [
      'that many batches go on',
      { event: 'batch-resumed', batchId: 'b-1', batches: 40 },
      '09:30:05  goes on   40 batches',
    ],
  ])('says %s', (_name, record, expected) => {
    expect(render(record)).toBe(expected);
  });

  test('says how a held document is answered, ready to be pasted into a shell', () => {
    const path = "A/it's.pdf";
    const missing = render({ ...DOCUMENT, path, stage: 'held', reason: REASON });
    expect(missing).toContain(`answer with: drawbridge answer b-1 'A/it'\\''s.pdf' --set "Field=Value"`);
    const reason = { code: 'WORKFLOW_CONFLICT', text: 'In use.', fix: '' };
    expect(render({ ...DOCUMENT, stage: 'held', reason })).toContain('--decision terminate|retry|set-apart');
  });

  test('says how a batch that waits is let go on', () => {
    expect(render({ event: 'batch-blocked', share: 'tender', batchId: 'b-1', reason: REASON })).toContain(
      'at once with: drawbridge resume b-1',
    );
  });

  test.each([
    ['requests', { event: 'request', route: 'uploads.show' }],
    ['records of other kinds', { level: 'info', msg: 'hello' }],
    ['what the workflow says again, better', { event: 'file-refused', path: 'x', reason: 'empty' }],
    ['stages it does not know', { ...DOCUMENT, stage: 'pondering' }],
  ])('keeps silent about %s', (_name, record) => {
    expect(render(record)).toBeUndefined();
  });

  test('is not fooled by the names of files', () => {
    const path = `\u001b[2J\u202e${'n'.repeat(200)}\nclaimed   fake.pdf`;
    const shown = render({ ...DOCUMENT, path, stage: 'sent' }) ?? '';
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those must not be there.
    expect(shown).not.toMatch(/[\u0000-\u001f\u202e]/);
    expect([...shown].length).toBeLessThan(90);
  });

  test('has colours on a terminal only, and not where NO_COLOR forbids them', () => {
    expect(createPaint({ isTTY: true }, {})('green', 'x')).toBe('\u001b[32mx\u001b[39m');
    expect(createPaint({ isTTY: true }, { NO_COLOR: '1' })('green', 'x')).toBe('x');
    expect(createPaint({}, {})('green', 'x')).toBe('x');
  });
});

test('is green only where nothing was set apart or held', () => {
  const colourOf = (setApart: number, held: number) => {
    const record = { event: 'batch-finished', share: 'tender', batchId: 'b-1', submitted: 1, setApart, held };
    return narrate(record, { command: 'drawbridge', folderOf: () => undefined })?.colour;
  };
  expect([colourOf(0, 0), colourOf(1, 0), colourOf(0, 1)]).toEqual(['green', 'yellow', 'yellow']);
});

test('the receipt of a part is not named once the part has ended: it goes with the receipt of its job', () => {
  const receiptsOf = (event: string, receipts: readonly string[]) => {
    const record = { event, share: 'tender', batchId: 'b-1', submitted: 1, setApart: 0, held: 0, receipts };
    return narrate(record, { command: 'drawbridge', folderOf: () => undefined })?.hints;
  };
  const soFar = 'done/Package A/receipt-so-far (2).csv';
  expect(receiptsOf('batch-finished', [soFar])).toEqual([]);
  const sheets = ['attention/Package A/receipt-register.xlsx', 'done/Package A/receipt-register.xlsx'];
  expect(receiptsOf('batch-finished', sheets)).toEqual(sheets.map(sheet => `receipt: ${sheet}`));
  expect(receiptsOf('batch-settled-so-far', [soFar])).toEqual([`receipt: ${soFar}`]);
});
