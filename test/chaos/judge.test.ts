// The judge judged: clean evidence passes, and each invariant that is doctored away is named.
import { DEFAULT_USERS } from '../sandbox/defaults';
import type { Remark } from '../sandbox/operation-log';
import { judge } from './judge';
import { compareEnds, judgeFixedPoint } from './judge-end';
import type { DroppedFile, Evidence } from './judge-evidence';
import type { Judgement } from './judge-rule';
import { excusedRemarks } from './judge-rules-remarks';
import type { BatchOnShare, FileOnShare } from './judge-share';
import type { SheetOfJob, SheetRow } from './judge-sheets';
import type { Violation } from './part';

const BATCH = '20260131-093000-k3f9a2';
const CLAIMED_AT = '2026-01-31T09:30:00.000Z';
const PATHS = ['a.pdf', 'Package/b.pdf', 'c.pdf'] as const;

/** As a spreadsheet opens it; columns that the judge does not look at are left out. */
const CSV = [
  'file,outcome,revision_id,upload_id,sha256',
  'a.pdf,submitted,R0,U0,sha-0',
  'b.pdf,submitted,R1,U1,sha-1',
  'c.pdf,set apart,,U2,sha-2',
].join('\r\n');

/** Two documents submitted and one set apart, as they are when everything went well. */
function clean(): Evidence {
  const operations: Evidence['operations'][number][] = [];
  const record = (what: string, at: number, detail: Record<string, unknown>) => {
    operations.push({
      seq: operations.length + 1,
      at,
      kind: 'effect',
      route: 'test',
      request: 1,
      what,
      detail,
    });
  };
  PATHS.forEach((path, index) => {
    const fileName = nameOf(path);
    record('uploads-created', 100, { uploads: [{ uploadId: `U${index}`, fileName }] });
    record('segment-stored', 120, { fileUploadId: `F${index}`, fileName, segment: 0 });
    record('file-completed', 130, { fileUploadId: `F${index}`, fileName });
    record('upload-completed', 200, { uploadId: `U${index}`, fileName, fileUploadId: `F${index}` });
    if (index < 2)
      record('revision-created', 400, { uploadId: `U${index}`, fileName, revisionId: `R${index}` });
  });
  const rows = PATHS.map((path, index) => ({
    index,
    path,
    sha256: `sha-${index}`,
    uploadId: `U${index}`,
    ...(index < 2
      ? { outcome: 'submitted' as const, revisionId: `R${index}` }
      : { outcome: 'set-apart' as const, reason: { code: 'DUPLICATE_REVISION' } }),
  }));
  const receipt = { batchId: BATCH, final: true, files: rows };
  const uploads = PATHS.map((_, index) => ({ index, uploadId: `U${index}` as never }));
  const placeOf = (index: number) => (index < 2 ? ('done' as const) : ('attention' as const));
  return {
    operations,
    serviceViolations: [],
    revisions: [0, 1].map(index => revision(index)),
    uploads: PATHS.map((path, index) => ({
      id: `U${index}`,
      projectId: '7001',
      fileName: nameOf(path),
      mimeType: 'application/pdf',
      status: 'COMPLETED' as const,
      presence: index < 2 ? ('consumed' as const) : ('present' as const),
      fileUploadId: `F${index}`,
      latestEventId: 'E',
      revisionId: index < 2 ? `R${index}` : null,
      analysis: 'not_applicable',
      scraping: 'not_applicable',
      fields: {},
    })),
    fileUploads: PATHS.map((path, index) => ({
      id: `F${index}`,
      projectId: '7001',
      fileName: nameOf(path),
      sizeBytes: 1,
      sha256: `sha-${index}`,
      state: 'available' as const,
      segments: 1,
      segmentsReceived: 1,
      linkedTo: `U${index}`,
    })),
    share: {
      files: PATHS.map((path, index) => onShare(placeOf(index), path, `sha-${index}`)),
      batches: [
        {
          batchId: BATCH,
          isFinished: true,
          damaged: [],
          manifest: {
            batchId: BATCH,
            createdAt: CLAIMED_AT,
            files: PATHS.map((path, index) => ({ index, path, sha256: `sha-${index}` })),
          },
          receipt,
          journal: [
            { atMs: 110, record: { kind: 'created', uploads } },
            { atMs: 300, record: { kind: 'intent', uploads: uploads.slice(0, 2) } },
          ],
        },
      ],
      receipts: (['done', 'attention'] as const).flatMap(place => [
        { place, batchId: BATCH, name: 'receipt.json', receipt },
        { place, batchId: BATCH, name: 'receipt.csv', csv: CSV },
      ]),
      foreign: [],
      temporary: [],
    },
    dropped: PATHS.map((path, index): DroppedFile => ({ path, sha256: `sha-${index}`, healthy: index < 2 })),
  };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function revision(index: number, other: Record<string, unknown> = {}) {
  return {
    id: `R${index}`,
    projectId: '7001',
    containerId: 'C',
    uploadId: `U${index}`,
    fileName: nameOf(PATHS[index]!),
    name: nameOf(PATHS[index]!),
    revision: 'A',
    version: 1,
    sha256: `sha-${index}`,
    sizeBytes: 1,
    submittedBy: 9900,
    status: 'S',
    fields: { name: [nameOf(PATHS[index]!)], type: ['Document'], status: ['S'], revision: ['A'] },
    ...other,
  };
}

function onShare(place: FileOnShare['place'], path: string, sha256: string, identity = path): FileOnShare {
  return { place, path, sha256, identity, ...(place === 'drop' ? {} : { batchId: BATCH }) };
}

function withShare(evidence: Evidence, share: Partial<Evidence['share']>): Evidence {
  return { ...evidence, share: { ...evidence.share, ...share } };
}

function withBatch(evidence: Evidence, batch: Partial<BatchOnShare>): Evidence {
  return withShare(evidence, { batches: evidence.share.batches.map(each => ({ ...each, ...batch })) });
}

function withRevision(other: Record<string, unknown>): Evidence {
  return { ...clean(), revisions: [revision(0, other), revision(1)] };
}

function withCsv(csv: string): Evidence {
  const receipts = clean().share.receipts.map(each => (each.csv === undefined ? each : { ...each, csv }));
  return withShare(clean(), { receipts });
}

/** The sheet of a job, as it is read off a CSV or a workbook; rows of the register as they came. */
const SHEET: readonly SheetRow[] = PATHS.map((path, index) => ({
  outcome: index < 2 ? 'Through' : 'Set apart',
  reason: index < 2 ? '' : 'There is one.',
  revisionId: index < 2 ? `R${index}` : '',
  uploadId: `U${index}`,
  sha256: `sha-${index}`,
  mark: `J row ${index + 2}`,
  file: nameOf(path),
}));

/** A job with a register: what is kept names the rows. */
function withSheet(sheet: SheetOfJob): Evidence {
  const evidence = clean();
  const [batch] = evidence.share.batches;
  const receipt = {
    ...batch!.receipt!,
    job: { id: 'J', place: BATCH },
    files: batch!.receipt!.files.map(file => ({ ...file, row: file.index + 2 })),
  };
  const name = 'receipt-register.csv';
  return withShare(evidence, {
    batches: [{ ...batch!, receipt }],
    receipts: [...evidence.share.receipts, { place: 'attention', batchId: BATCH, name, sheet }],
  });
}

function withSheetRow(at: number, row: Partial<SheetRow>): Evidence {
  return withSheet(SHEET.map((each, index) => (index === at ? { ...each, ...row } : each)));
}

/** As people saw it while a document was held. */
function withSoFarCsv(): Evidence {
  const csv = CSV.replace('set apart', 'held');
  const soFar = { place: 'attention' as const, batchId: BATCH, name: 'receipt-so-far.csv', csv };
  return withShare(clean(), { receipts: [...clean().share.receipts, soFar] });
}

/** Receipts everywhere with one row changed. */
function withRow(evidence: Evidence, index: number, row: Record<string, unknown>): Evidence {
  const receipt = evidence.share.batches[0]!.receipt!;
  const files = receipt.files.map(each => (each.index === index ? { ...each, ...row } : each));
  return withBatch(evidence, { receipt: { ...receipt, files } });
}

/**
 * Two batches that were claimed at these times; the document of the first one came first.
 * @param letters revision values that the names of the files give
 */
function twoBatches(first: string, other: string, letters: readonly string[] = []): Evidence {
  const evidence = clean();
  const [batch] = evidence.share.batches;
  const batches = [first, other].map((time, index) => {
    const batchId = `${BATCH}-${index}`;
    const path = `${letters[index] ?? ''}_a.pdf`;
    return {
      ...batch!,
      batchId,
      journal: [upload(0, 300, 'intent', `U${index}`)],
      manifest: { batchId, createdAt: `2026-01-31T${time}.000Z`, files: [{ index: 0, path }] },
    };
  });
  const revisions = [0, 1].map(index => revision(index, { version: index + 1 }));
  return withShare({ ...evidence, revisions }, { batches });
}

function objection(what: string): Evidence {
  const operation = { seq: 1, at: 1, kind: 'violation' as const, route: 'test', request: 1, what };
  return { ...clean(), serviceViolations: [{ ...operation, detail: { fileName: 'a.pdf' } }] };
}

function upload(index: number, atMs: number, kind: 'created' | 'intent', uploadId: string) {
  return { atMs, record: { kind, uploads: [{ index, uploadId: uploadId as never }] } } as const;
}

const VALUES = { defaults: { Type: 'Document', Status: 'S', Revision: 'A' }, documentName: 'file' } as const;

/** All that there are. */
const REMARKS = Object.keys({
  'stale-event-id': 0,
  'page-past-the-end': 0,
  'polled-too-soon': 0,
  'polled-too-long': 0,
  'version-changed-under-triggers': 0,
} satisfies Record<Remark, 0>) as Remark[];

/** What is found when everything is said to have ended. */
function atRest(evidence: Evidence, more: Partial<Judgement> = {}): Violation[] {
  const judgement = {
    mode: 'at-rest',
    case: 'c',
    projectId: '7001',
    values: VALUES,
    mostRequests: 0,
  } as const;
  return judge(evidence, { ...judgement, ...more });
}

function underway(evidence: Evidence, more: Partial<Judgement> = {}): Violation[] {
  return atRest(evidence, { mode: 'underway', ...more });
}

const DOCTORED: readonly (readonly [invariant: string, what: string, doctored: () => Evidence])[] = [
  ['1', 'a file vanished', () => withShare(clean(), { files: clean().share.files.slice(1) })],
  [
    '2',
    'a document has two revisions',
    () => ({ ...clean(), revisions: [...clean().revisions, revision(0, { id: 'R9', uploadId: 'U9' })] }),
  ],
  [
    '2',
    'a revision has bytes of another file',
    () => ({ ...clean(), revisions: [revision(0, { sha256: 'sha-1' }), revision(1)] }),
  ],
  ['3', 'submitted without a revision', () => ({ ...clean(), revisions: [revision(0)] })],
  ['3', 'submitted with other bytes', () => withRow(clean(), 0, { sha256: 'sha-1' })],
  [
    '3',
    'submitted under another name',
    () => ({ ...clean(), revisions: [revision(0, { name: 'b.pdf' }), revision(1)] }),
  ],
  ['3', 'submitted under another revision id', () => withRow(clean(), 0, { revisionId: 'R1' })],
  [
    '3',
    'the journal says submitted and the service does not',
    () =>
      withBatch(clean(), {
        journal: [
          ...clean().share.batches[0]!.journal,
          {
            atMs: 500,
            record: {
              kind: 'outcome',
              outcomes: [
                {
                  index: 2,
                  kind: 'submitted',
                  uploadId: 'U2' as never,
                  revisionId: null,
                  paired: 'unknown',
                  submittedAtMs: 1,
                },
              ],
            },
          },
        ],
      }),
  ],
  [
    '3',
    'a submitted file lies in attention',
    () =>
      withShare(clean(), {
        files: [onShare('attention', 'a.pdf', 'sha-0'), ...clean().share.files.slice(1)],
      }),
  ],
  ['3', 'no receipt beside the files', () => withShare(clean(), { receipts: [] })],
  ['3', 'set apart without a reason', () => withRow(clean(), 2, { reason: undefined })],
  [
    '3',
    'the receipt beside the files says something else',
    () => {
      const [first, ...rest] = clean().share.receipts;
      const files = first!.receipt!.files.map(row => ({ ...row, revisionId: 'R9' }));
      const other = { ...first!, receipt: { ...first!.receipt!, files } };
      return withShare(clean(), { receipts: [other, ...rest] });
    },
  ],
  ['3', 'the CSV names another revision', () => withCsv(CSV.replace('R1', 'R0'))],
  ['3', 'the CSV lacks a row', () => withCsv(CSV.replace(/\r\nc\.pdf.*$/, ''))],
  ['3', 'the CSV is no table', () => withCsv(`${CSV}\r\n"`)],
  [
    '3',
    'the sheet of a job says submitted for the row that was set apart',
    () => withSheetRow(2, { outcome: 'Through', revisionId: 'not told' }),
  ],
  ['3', 'the sheet of a job has the revision of another row', () => withSheetRow(0, { revisionId: 'R1' })],
  ['3', 'the sheet of a job has the upload of another row', () => withSheetRow(2, { uploadId: 'U1' })],
  ['3', 'the sheet of a job tells of a file at another row', () => withSheetRow(0, { mark: 'J row 3' })],
  ['3', 'the sheet of a job tells of a file by another name', () => withSheetRow(0, { file: 'b' })],
  ['3', 'the sheet of a job does not say why', () => withSheetRow(2, { reason: '' })],
  ['3', 'the sheet of a job is that of another one', () => withSheetRow(0, { mark: 'K row 2' })],
  ['3', 'the sheet of a job lacks a row', () => withSheet(SHEET.slice(1))],
  ['3', 'the sheet of a job says it twice', () => withSheet([...SHEET, ...SHEET.slice(2)])],
  ['3', 'the sheet of a job cannot be read', () => withSheet('unreadable')],
  [
    '3',
    'a receipt lies in the folder of no batch',
    () => {
      const strange = clean().share.receipts.map(each => ({ ...each, batchId: 'nobody' }));
      return withShare(clean(), { receipts: [...clean().share.receipts, ...strange] });
    },
  ],
  [
    '2',
    'a person submitted an upload of ours, and so did we another',
    () => {
      const evidence = clean();
      const made = { uploads: [{ uploadId: 'U9', fileName: 'a.pdf' }] };
      const creation = { ...evidence.operations[0]!, seq: 99, detail: made };
      const byPerson = revision(0, { id: 'R9', uploadId: 'U9', submittedBy: 9001 });
      return {
        ...evidence,
        operations: [...evidence.operations, creation],
        revisions: [...evidence.revisions, { ...byPerson, submittedBy: DEFAULT_USERS.colleague }],
      };
    },
  ],
  ['2', 'a revision of another project', () => withRevision({ projectId: '7002' })],
  [
    '2',
    'a revision of another project, as its upload is',
    () => {
      const evidence = withRevision({ projectId: '7002' });
      const [first, ...others] = evidence.uploads;
      return { ...evidence, uploads: [{ ...first!, projectId: '7002' }, ...others] };
    },
  ],
  [
    '2',
    'an upload in another project',
    () => {
      const evidence = clean();
      const last = { ...evidence.uploads[2]!, projectId: '7002' };
      return { ...evidence, uploads: [...evidence.uploads.slice(0, 2), last] };
    },
  ],
  ['2', 'a revision under another account', () => withRevision({ submittedBy: 1 })],
  ['25', 'a revision without a status', () => withRevision({ fields: { name: ['a.pdf'], type: ['D'] } })],
  [
    '25',
    'a value that nobody gave',
    () => withRevision({ fields: { ...revision(0).fields, description: ['About a'] } }),
  ],
  [
    '25',
    'the name of another file, in the field alone',
    () => withRevision({ fields: { ...revision(0).fields, name: ['b.pdf'] } }),
  ],
  [
    '25',
    'a person’s value written over',
    () => {
      const evidence = clean();
      const edit = { ...evidence.operations[0]!, seq: 90, what: 'edit-upload', route: 'person' };
      const write = { ...edit, seq: 91, what: 'upload-updated', route: 'uploads.patch' };
      const operations = [
        ...evidence.operations,
        { ...edit, detail: { uploadId: 'U0', field: 'status' } },
        { ...write, detail: { uploadId: 'U0', fileName: 'a.pdf', fields: ['status'] } },
      ];
      return { ...evidence, operations };
    },
  ],
  [
    '29',
    'a later revision came first',
    () => {
      const of = (index: number, letter: string, version: number) =>
        revision(index, { revision: letter, version });
      return { ...clean(), revisions: [of(0, 'B', 1), of(1, 'A', 2)] };
    },
  ],
  ['29', 'what was claimed later came first', () => twoBatches('09:30:01', '09:30:00')],
  [
    '29',
    'what was claimed later came first, although its revision is the later one',
    () => twoBatches('09:30:01', '09:30:00', ['B', 'A']),
  ],
  [
    '29',
    'a claim is older than its file',
    () => ({
      ...clean(),
      dropped: clean().dropped.map(file => ({ ...file, droppedAtMs: Date.parse(CLAIMED_AT) + 1 })),
    }),
  ],
  ['4', 'a revision is on no receipt', () => withRow(clean(), 0, { outcome: 'set-apart' })],
  [
    '5',
    'two completed uploads of one file',
    () => {
      const evidence = clean();
      const twin = { ...evidence.uploads[0]!, id: 'U9', presence: 'present' as const };
      return { ...evidence, uploads: [...evidence.uploads, twin] };
    },
  ],
  ['5', 'the service saw a second live upload', () => objection('second-live-upload')],
  [
    '6',
    'a second upload recorded after the intent',
    () =>
      withBatch(clean(), {
        journal: [...clean().share.batches[0]!.journal, upload(0, 350, 'created', 'U9')],
      }),
  ],
  [
    '6',
    'a second upload made after the intent, without a record',
    () => {
      const evidence = clean();
      const made = { ...evidence.operations[0]!, seq: 99, at: 350 };
      const detail = { uploads: [{ uploadId: 'U9', fileName: 'a.pdf' }] };
      return { ...evidence, operations: [...evidence.operations, { ...made, detail }] };
    },
  ],
  ['7', 'no intent on the share', () => withBatch(clean(), { journal: [] })],
  [
    '7',
    'the intent came after the submission',
    () => withBatch(clean(), { journal: [upload(0, 500, 'intent', 'U0'), upload(1, 300, 'intent', 'U1')] }),
  ],
  [
    '7',
    'submitted before it was completed',
    () => ({ ...clean(), operations: clean().operations.filter(({ what }) => what !== 'upload-completed') }),
  ],
  [
    '8',
    'one file linked to two uploads',
    () => {
      const evidence = clean();
      const link = evidence.operations.find(({ what }) => what === 'upload-completed')!;
      const detail = { ...link.detail, uploadId: 'U1' };
      return { ...evidence, operations: [...evidence.operations, { ...link, detail }] };
    },
  ],
  [
    '9',
    'finished although storage refused a segment',
    () => {
      const evidence = clean();
      const operations = evidence.operations.map(operation =>
        operation.what === 'segment-stored' ? { ...operation, what: 'segment-refused' } : operation,
      );
      return { ...evidence, operations };
    },
  ],
  ['10', 'a batch without files', () => withBatch(clean(), { manifest: { batchId: BATCH, files: [] } })],
  [
    '10',
    'a healthy document was set apart',
    () => ({ ...clean(), dropped: clean().dropped.map(file => ({ ...file, healthy: true })) }),
  ],
  [
    '11',
    'a file is on no row of the receipt',
    () => withBatch(clean(), { receipt: { batchId: BATCH, final: true, files: [] } }),
  ],
  [
    '12',
    'a file was truncated',
    () =>
      withShare(clean(), {
        files: [onShare('done', 'a.pdf', 'sha-of-nothing'), ...clean().share.files.slice(1)],
      }),
  ],
  [
    '12',
    'a file is there twice',
    () =>
      withShare(clean(), { files: [...clean().share.files, onShare('drop', 'a.pdf', 'sha-0', 'another')] }),
  ],
  [
    '12',
    'two batches claimed one file',
    () =>
      withShare(clean(), {
        batches: [...clean().share.batches, { ...clean().share.batches[0]!, batchId: 'other' }],
      }),
  ],
  [
    '12',
    'a receipt for now is left',
    () => {
      const { receipts } = clean().share;
      const receipt = { batchId: BATCH, final: false, files: [] };
      return withShare(clean(), {
        receipts: [...receipts, { place: 'done', batchId: BATCH, name: 'receipt-so-far.json', receipt }],
      });
    },
  ],
  ['12', 'the CSV of a receipt for now is left', () => withSoFarCsv()],
  ['15', 'a batch has no receipt', () => withBatch(clean(), { isFinished: false })],
  [
    '15',
    'a file still lies in the drop folder',
    () => withShare(clean(), { files: [onShare('drop', 'a.pdf', 'sha-0'), ...clean().share.files.slice(1)] }),
  ],
  ['16', 'a Retry-After was undercut', () => objection('retry-after-undercut')],
  ['17', 'a token was exchanged twice', () => objection('refresh-token-reused')],
  ['18', 'a bearer went to storage', () => objection('bearer-at-storage')],
  ['the service', 'an objection without a number', () => objection('unknown-route')],
  ['22', 'a history is long', () => ({ ...clean(), histories: [{ workflowId: 'w', events: 5_001 }] })],
  ['24', 'a file outside our folders', () => withShare(clean(), { foreign: ['escaped.pdf'] })],
  ['27', 'a manifest cannot be read', () => withBatch(clean(), { damaged: ['batch.json'] })],
];

test('clean evidence passes, at rest and underway', () => {
  expect(atRest(clean())).toEqual([]);
  expect(underway(clean())).toEqual([]);
});

test.each(DOCTORED)('invariant %s: %s', (invariant, _, doctored) => {
  const found = atRest(doctored(), { case: 'doctored' });
  expect(found.map(each => each.invariant.split(' ')[0])).toContain(invariant.split(' ')[0]);
  expect(found.every(each => each.case === 'doctored')).toBe(true);
});

test.each([
  ['claimed first', '09:30:00', '09:30:01', undefined],
  ['claimed in the same moment', '09:30:00', '09:30:00', undefined],
  [
    'of the earlier revision, and claimed while the later one was in line',
    '09:30:01',
    '09:30:00',
    ['A', 'B'],
  ],
  ['of the earlier revision, by number', '09:30:01', '09:30:00', ['9', '10']],
])('what came first and was %s is in order', (_, first, other, letters) => {
  const values = { ...VALUES, fileNamePattern: '^(?<Revision>[^_]+)_' };
  const found = underway(twoBatches(first, other, letters), { values });
  expect(found.filter(({ invariant }) => invariant.startsWith('29'))).toEqual([]);
});

test.each([
  ['says nothing that can be compared', ['A', '1']],
  ['says that it is the earlier one', ['B', 'A']],
  ['says the same', ['A', 'A']],
])('what was claimed first and %s is overtaken', (_, letters) => {
  const values = { ...VALUES, fileNamePattern: '^(?<Revision>[^_]+)_' };
  const found = underway(twoBatches('09:30:01', '09:30:00', letters), { values });
  expect(found.filter(({ invariant }) => invariant.startsWith('29'))).toEqual([
    expect.objectContaining({ what: expect.stringContaining('which was claimed 1000 ms later') }),
  ]);
});

test('an empty folder that a kill left before anything was claimed is no open batch', () => {
  const empty = { batchId: 'empty', isFinished: false, journal: [], damaged: [] };
  const evidence = withShare(clean(), { batches: [...clean().share.batches, empty] });
  expect(atRest(evidence)).toEqual([]);
});

test('underway, what has not ended is no violation, and what is lost is', () => {
  const open = withBatch(clean(), { isFinished: false });
  expect(underway(open)).toEqual([]);
  const lost = withShare(clean(), { files: [] });
  expect(underway(lost)).toHaveLength(3);
});

test('a receipt for now is compared with no final one, and may still be there underway', () => {
  expect(underway(withSoFarCsv())).toEqual([]);
  expect(atRest(withSoFarCsv()).map(({ invariant }) => invariant)).toEqual([
    '12 nothing unfinished is left behind',
  ]);
});

test('a sheet of a job that says what is kept is right, whatever it calls the files', () => {
  expect(atRest(withSheet(SHEET))).toEqual([]);
  expect(atRest(withSheetRow(0, { file: 'A' }))).toEqual([]);
  expect(atRest(withSheetRow(1, { file: 'Package\\B.pdf', mark: 'J not listed' }))).toEqual([]);
  expect(atRest(withSheet(SHEET.map(({ file: _, ...row }) => row)))).toEqual([]);
  const notThere = { outcome: 'Set apart', reason: 'Listed, not there. No file.', mark: 'J row 9' };
  const none = { revisionId: '', uploadId: '', sha256: '' };
  expect(atRest(withSheet([...SHEET, { ...notThere, ...none }]))).toEqual([]);
});

test('a file under two names in the middle of its move is one file', () => {
  const files = [...clean().share.files, onShare('claimed', 'a.pdf', 'sha-0', 'a.pdf')];
  expect(underway(withShare(clean(), { files }))).toEqual([]);
});

test('what somebody removed or rewrote is not held against anybody', () => {
  const evidence = clean();
  const dropped = evidence.dropped.map(file =>
    file.path === 'c.pdf' ? { ...file, rewritten: ['sha-new'] } : file,
  );
  const files = evidence.share.files.map(file =>
    file.path === 'c.pdf' ? { ...file, sha256: 'sha-new' } : file,
  );
  expect(atRest(withShare({ ...evidence, dropped }, { files }))).toEqual([]);
  const removed = evidence.dropped.map(file => ({ ...file, removed: file.path === 'c.pdf' }));
  const rest = evidence.share.files.filter(({ path }) => path !== 'c.pdf');
  expect(atRest(withShare({ ...evidence, dropped: removed }, { files: rest }))).toEqual([]);
});

test('every value is compared with what is foretold, and what a person wrote is let be', () => {
  const other = withRevision({ fields: { ...revision(0).fields, status: ['T'] } });
  expect(atRest(other).map(({ what }) => what)).toEqual(['a.pdf has "T" as its status, where "S" is right']);
  const edit = { ...clean().operations[0]!, seq: 90, what: 'edit-upload' };
  const operations = [...other.operations, { ...edit, detail: { uploadId: 'U0', field: 'status' } }];
  expect(atRest({ ...other, operations })).toEqual([]);
});

test.each([
  ['it is that one’s revision', false, []],
  ['and so is a second one of ours', true, ['2 one revision a document, whoever submitted it']],
])('a person submits an upload under the name of another file: by its bytes %s', (_, isTwice, found) => {
  const evidence = clean();
  const made = { uploads: [{ uploadId: 'U9', fileName: 'b.pdf' }] };
  const byPerson = revision(1, { id: 'R9', uploadId: 'U9', sha256: 'sha-0' });
  const violations = underway({
    ...evidence,
    operations: [...evidence.operations, { ...evidence.operations[0]!, seq: 99, detail: made }],
    revisions: [
      { ...byPerson, submittedBy: DEFAULT_USERS.colleague },
      ...evidence.revisions.slice(isTwice ? 0 : 1),
    ],
  });
  expect(violations.map(({ invariant }) => invariant).filter(each => each.includes('whoever'))).toEqual(
    found,
  );
});

test('of files with the same bytes a revision is one, and has all the values of that one', () => {
  const numbered = (name: string, number: string) => ({
    fields: { ...revision(0).fields, name: [name], number: [number] },
    name,
  });
  const rows = new Map([
    ['a.pdf', { Number: '1' }],
    ['Package/b.pdf', { Number: '2' }],
  ]);
  const same = (one: string, other: string): Evidence => ({
    ...clean(),
    revisions: [
      revision(0, { ...numbered('a.pdf', one), sha256: 'same' }),
      revision(1, { ...numbered('b.pdf', other), sha256: 'same' }),
    ],
    dropped: clean().dropped.map(file => (file.healthy === true ? { ...file, sha256: 'same' } : file)),
  });
  const wrongValues = (evidence: Evidence) =>
    underway(evidence, { values: { ...VALUES, rows } }).filter(({ invariant }) => /^25/.test(invariant));
  expect(wrongValues(same('1', '2'))).toEqual([]);
  expect(wrongValues(same('2', '1'))).toHaveLength(2);
});

type Remarked = readonly [what: Remark, at: number, request: number, uploadId: string];

function withRemarks(remarks: readonly Remarked[]): Evidence {
  const operations = remarks.map(([what, at, request, uploadId], turn) => ({
    ...{ seq: 90 + turn, at, kind: 'remark' as const, route: 'uploads.selected', request, what },
    detail: { uploadId },
  }));
  return { ...clean(), operations: [...clean().operations, ...operations] };
}

test.each<[load: Parameters<typeof excusedRemarks>[0], named: Remark[]]>([
  [{}, REMARKS],
  [{ interruptions: 1 }, ['page-past-the-end', 'version-changed-under-triggers']],
  [{ strikes: 3 }, ['page-past-the-end', 'version-changed-under-triggers']],
  [{ deeds: 1 }, ['polled-too-soon', 'polled-too-long', 'version-changed-under-triggers']],
  [{ interruptions: 1, strikes: 1, deeds: 1 }, ['version-changed-under-triggers']],
])(
  'what a careful client has no reason for is named, but for what was done to the case: %j',
  (load, named) => {
    const evidence = withRemarks(REMARKS.map((what, request) => [what, 500, request, 'U0']));
    const found = atRest(evidence, { excused: excusedRemarks(load) });
    expect(found.map(({ invariant, what }) => [invariant.slice(0, 2), what.split(' ')[0]])).toEqual(
      named.map(what => ['30', what]),
    );
  },
);

test.each<[what: string, remarks: readonly Remarked[], named: number]>([
  [
    'one look at an upload, which is remarked on twice',
    [
      ['polled-too-soon', 500, 7, 'U0'],
      ['polled-too-soon', 500, 7, 'U0'],
    ],
    0,
  ],
  [
    'one look at each upload, minutes later',
    [
      ['polled-too-long', 300_400, 7, 'U0'],
      ['polled-too-long', 300_400, 7, 'U1'],
    ],
    0,
  ],
  [
    'a look and a submission',
    [
      ['polled-too-soon', 500, 7, 'U0'],
      ['stale-event-id', 600, 8, 'U0'],
    ],
    0,
  ],
  [
    'a second look',
    [
      ['polled-too-soon', 500, 7, 'U0'],
      ['polled-too-soon', 600, 8, 'U0'],
    ],
    1,
  ],
  [
    'a second look, after the second kill',
    [
      ['polled-too-soon', 500, 7, 'U0'],
      ['polled-too-soon', 900, 8, 'U0'],
    ],
    0,
  ],
  [
    'two looks after the second kill alone: either may have hidden the one before',
    [
      ['polled-too-soon', 900, 7, 'U0'],
      ['polled-too-soon', 910, 8, 'U0'],
    ],
    0,
  ],
  [
    'a third one',
    [
      ['polled-too-soon', 900, 7, 'U0'],
      ['polled-too-soon', 910, 8, 'U0'],
      ['polled-too-soon', 920, 9, 'U0'],
    ],
    1,
  ],
  ['a look before any kill', [['polled-too-soon', 399, 7, 'U0']], 1],
  ['what no kill leads to', [['page-past-the-end', 500, 7, 'U0']], 1],
])('after a kill, what nobody could know is excused once for each upload: %s', (_, remarks, named) => {
  const kill = (from: number) => ({ kind: 'killed' as const, from, until: from });
  const found = atRest(withRemarks(remarks), { interruptions: [kill(400), kill(800)] });
  expect(found.map(({ invariant }) => invariant.slice(0, 2))).toEqual(Array(named).fill('30'));
});

test('a storm of requests is named, unless no bound can be told', () => {
  const request = { seq: 1, at: 1, kind: 'request' as const, route: 'test', request: 1 };
  const evidence = { ...clean(), operations: [...clean().operations, request, request] };
  expect(atRest(evidence, { mostRequests: 2 })).toEqual([]);
  expect(atRest(evidence, { mostRequests: 1 })).toHaveLength(1);
  expect(atRest(evidence, { mostRequests: { any: 'days of waiting' } })).toEqual([]);
});

test.each([
  ['of the same bytes', 'sha-2', 0],
  ['of other bytes', 'sha-other', 1],
])('what was set apart may lie with a later batch, where that is a file %s', (_, sha256, accused) => {
  const path = PATHS[2] ?? '';
  const later = '20261231-235959-zzzzzz';
  const { files, batches, receipts } = clean().share;
  const row = { index: 0, path, sha256, outcome: 'submitted' as const, revisionId: 'R9' };
  const evidence = withShare(clean(), {
    files: [...files.slice(0, 2), { ...onShare('done', path, sha256), batchId: later }],
    batches: [
      ...batches,
      {
        batchId: later,
        isFinished: true,
        damaged: [],
        journal: [],
        manifest: { batchId: later, files: [{ index: 0, path, sha256 }] },
        receipt: { batchId: later, final: true, files: [row] },
      },
    ],
    receipts: [
      ...receipts,
      { place: 'done' as const, batchId: later, name: 'receipt.json' },
      { place: 'done' as const, batchId: later, name: 'receipt.csv' },
    ],
  });
  const found = atRest(evidence);
  expect(found.filter(({ invariant }) => invariant === '3 files lie where the receipt says')).toHaveLength(
    accused,
  );
});

test('ends are compared without ids and times; a recovery that writes is found', () => {
  expect(compareEnds(clean(), clean(), 'c')).toEqual([]);
  expect(compareEnds(withRow(clean(), 0, { outcome: 'set-apart' }), clean(), 'c')).toHaveLength(2);
  expect(judgeFixedPoint(clean(), clean(), 'c')).toEqual([]);
  const write = { seq: 99, at: 1, kind: 'request' as const, route: 'uploads.patch', request: 9 };
  const after = { ...clean(), operations: [...clean().operations, write] };
  expect(judgeFixedPoint(clean(), after, 'c')).toHaveLength(1);
});

test.each([
  ['INCOMPLETE', []],
  ['COMPLETED', ['6 no other upload while a submission is in doubt']],
])('an upload of somebody who had not heard that the batch was taken from him, %s', (status, found) => {
  const evidence = withBatch(clean(), {
    journal: [...clean().share.batches[0]!.journal, upload(0, 350, 'created', 'U9')],
  });
  const stray = {
    ...evidence.uploads[0]!,
    id: 'U9',
    status: status as 'COMPLETED',
    presence: 'deleted' as const,
  };
  const violations = atRest({ ...evidence, uploads: [...evidence.uploads, stray] }, { hasUnaware: true });
  expect(violations.map(({ invariant }) => invariant)).toEqual(found);
});

test.each([
  ['INCOMPLETE, made when one that stood still went on', 'INCOMPLETE', 340, 'frozen', []],
  ['COMPLETED', 'COMPLETED', 340, 'frozen', ['6']],
  ['while everybody lived', 'INCOMPLETE', 60_000, 'frozen', ['6']],
  ['of one that was killed', 'INCOMPLETE', 340, 'killed', ['6']],
] as const)('an upload that nobody has a record of: %s', (_, status, until, kind, numbers) => {
  const evidence = clean();
  const [made] = evidence.operations;
  const detail = { uploads: [{ uploadId: 'U9', fileName: 'a.pdf' }] };
  const stray = { ...evidence.uploads[0]!, id: 'U9', status, presence: 'present' as const };
  const violations = underway(
    {
      ...evidence,
      operations: [...evidence.operations, { ...made!, seq: 99, at: 350, detail }],
      uploads: [...evidence.uploads, stray],
    },
    { interruptions: [{ kind, from: until - 33_000, until }] },
  );
  expect(violations.map(({ invariant }) => invariant.split(' ')[0])).toEqual(numbers);
});
