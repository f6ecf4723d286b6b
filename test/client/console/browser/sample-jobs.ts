// Jobs as a page might show them: one that waits for people, others that go on or are over.

import { tallyOutcomes } from '../../../../activities/registers/words/outcome-words';
import type { JobHead, JobRow, JobSummary, RowDetail } from '../../../../client/console/contract/jobs';
import type { Fakes } from './browser-bed';
import { SAMPLE_FIELDS } from './sample-waiting';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

function ago(minutes: number): string {
  return new Date(Date.now() - minutes * MINUTE_MS).toISOString();
}

function job(given: Partial<JobSummary> & Pick<JobSummary, 'job' | 'name' | 'tally'>): JobSummary {
  return {
    share: 'tender',
    kind: 'folder',
    documents: Object.values(given.tally).reduce((sum, count) => sum + count, 0),
    droppedAt: ago(33),
    by: 'T. Harker',
    register: 'register.xlsx',
    sizeBytes: 412_000_000,
    endedAt: null,
    end: { kind: 'over' },
    needs: null,
    ...given,
  };
}

const NONE = tallyOutcomes([]);

export const WAITING: JobSummary = job({
  job: 'TR-0142',
  name: 'TR-0142 Structural IFC',
  tally: { ...NONE, through: 212, 'on-the-way': 68, held: 20 },
  end: { kind: 'about', at: ago(-12) },
  needs: { held: 20, setApart: 0, why: '20 held: Status or Checked by is missing', until: ago(-7 * 1440) },
});

export const OPEN: readonly JobSummary[] = [
  WAITING,
  job({
    job: 'TR-0139',
    name: 'TR-0139 MEP level 03',
    by: 'J. Okafor',
    tally: { ...NONE, through: 78, held: 5, 'set-apart': 3 },
    droppedAt: ago(3 * 1440),
    end: { kind: 'when-answered' },
    needs: { held: 5, setApart: 3, why: '5 held: a review stands against P01', until: ago(-4 * 1440) },
  }),
  job({
    job: 'TR-0141',
    name: 'TR-0141 Façade package B',
    by: 'M. Lindqvist',
    tally: { ...NONE, through: 655, 'on-the-way': 100, 'in-line': 485 },
    end: { kind: 'about', at: ago(-85) },
  }),
  job({
    job: '01JD0',
    name: 'Site photos 23 Nov 09:52',
    kind: 'files',
    by: null,
    register: null,
    tally: { ...NONE, through: 3, 'on-the-way': 11 },
    end: { kind: 'not-known' },
  }),
];

export const FINISHED: readonly JobSummary[] = [
  job({
    job: 'TR-0140',
    name: 'TR-0140 Architectural GA',
    tally: { ...NONE, through: 164 },
    endedAt: ago(45),
  }),
  job({
    job: 'TR-0138',
    name: 'TR-0138 Structural IFC (sent twice)',
    tally: { ...NONE, 'already-there': 300 },
    endedAt: ago(60),
  }),
  job({
    job: 'TR-0137',
    name: 'TR-0137 Piling as-built',
    by: 'A. Novák',
    tally: { ...NONE, through: 46, 'set-apart': 2 },
    endedAt: new Date(Date.now() - 3 * DAY_MS).toISOString(),
    needs: { held: 0, setApart: 2, why: '2 set apart: exists already with other content', until: null },
  }),
  job({
    job: 'TR-0136',
    name: 'TR-0136 Drainage S2',
    by: 'M. Lindqvist',
    tally: { ...NONE, through: 472, 'already-there': 16 },
    endedAt: new Date(Date.now() - 3 * DAY_MS - 1).toISOString(),
  }),
];

export const HOSTILE = [
  'Level 3 <img src=x onerror=alert(1)> & "details".pdf',
  'مخطط الطابق الثالث P02.pdf',
  'invoice\u202efdp.exe',
  ' leading and trailing .pdf ',
  `${'A very long name that never ends '.repeat(7)}-0042_P02.pdf`,
  'family 👨‍👩‍👧‍👦 emoji.pdf',
];

/** In the order of a register: most are through, some wait. */
export function sampleRows(count: number): readonly JobRow[] {
  return Array.from({ length: count }, (_, at): JobRow => {
    const outcome = at % 15 === 7 ? 'held' : at % 4 === 1 ? 'on-the-way' : 'through';
    const reason = {
      held: 'Status is missing.',
      'on-the-way': 'Being analysed',
      through: at % 2 === 0 ? 'Follows P01 of 3 May 2026' : 'New number here',
    }[outcome];
    return {
      key: `row-${at + 2}`,
      row: at + 2,
      outcome,
      file: `HBT-ARU-ZZ-03-DR-S-${String(at + 1).padStart(4, '0')}_P02.pdf`,
      number: `HBT-ARU-ZZ-03-DR-S-${String(at + 1).padStart(4, '0')}`,
      revision: 'P02',
      title: at % 3 === 0 ? `Level 03, slab reinforcement, sheet ${at + 1}` : null,
      reason,
      whatToDo: outcome === 'held' ? 'Give one.' : null,
      since: ago(20 + (at % 9)),
    };
  });
}

function sampleDetail(row: JobRow): RowDetail {
  const isHeld = row.outcome === 'held';
  return {
    ...row,
    path: `work/01JD0/${row.file}`,
    values: [
      { label: 'Type', value: 'Drawing', from: 'set for this share' },
      { label: 'Discipline', value: 'Structural (S)', from: 'found by the service' },
      { label: 'Revision', value: 'P02', from: 'file name' },
      { label: 'Status', value: isHeld ? null : 'A4', from: 'register, F43' },
      { label: 'Revision date', value: '18 Nov 2026', from: 'register, G43' },
    ],
    way: [
      {
        at: ago(33),
        text: 'Dropped by T. Harker',
        detail: 'tender/drop/TR-0142 Structural IFC',
        hasHappened: true,
        outcome: null,
      },
      {
        at: ago(32),
        text: `Row ${row.row} of register.xlsx`,
        detail: null,
        hasHappened: true,
        outcome: null,
      },
      { at: ago(28), text: 'Uploaded', detail: '2.4 MB', hasHappened: true, outcome: null },
      { at: ago(16), text: 'Analysed', detail: null, hasHappened: true, outcome: null },
      {
        at: row.since,
        text: isHeld ? 'Held: waits for Status' : 'Submitted as P02',
        detail: null,
        hasHappened: true,
        outcome: row.outcome,
      },
      ...(isHeld
        ? [{ at: null, text: 'submitted as P02', detail: null, hasHappened: false, outcome: null }]
        : []),
    ],
    notes: [],
    batchId: '01JD0QZ7T1',
    index: 3,
    sizeBytes: 2_400_000,
    sha256: '9f3c'.repeat(16),
    uploadId: 'up-42',
    revisionId: null,
    question: isHeld
      ? { kind: 'missing-values', missing: ['Status'], since: row.since ?? ago(16), until: ago(-7 * 1440) }
      : null,
  };
}

function headOf(summary: JobSummary): JobHead {
  const { documents, tally } = summary;
  return {
    ...summary,
    stages: {
      takenOver: documents,
      checked: documents,
      uploaded: documents,
      analysed: documents - tally['on-the-way'],
      submitted: tally.through,
      hasReceipt: false,
    },
    outages: [],
    notes: [],
    folders: ['done/TR-0142 Structural IFC'],
    receipts: [{ name: 'Receipt so far (xlsx)', path: 'done/TR-0142/receipt.xlsx' }],
    batches: [
      {
        batchId: '01JD0QZ7T1',
        workflowId: 'ingest/p/01JD0QZ7T1',
        runId: 'r1',
        href: 'http://127.0.0.1:8233/namespaces/default/workflows/ingest%2Fp%2F01JD0QZ7T1/r1',
      },
    ],
    unreadable: 0,
    version: '1',
  };
}

interface Sample {
  open: readonly JobSummary[];
  finished: readonly JobSummary[];
  rows: readonly JobRow[];
  away?: readonly { kind: 'service' | 'share'; share: string | null; since: string }[];
}

function isMoving({ tally }: JobSummary): boolean {
  return tally['on-the-way'] + tally['in-line'] > 0;
}

/** What a page of jobs asks for, from values that a test may change meanwhile. */
export function sampleFakes(sample: Sample): Fakes {
  return {
    'GET /api/jobs': ({ query: { state, q } }) => {
      const fits = ({ name }: JobSummary) => name.toLowerCase().includes(q.toLowerCase());
      const open = sample.open.filter(fits).filter(one => state !== 'waits' || one.needs !== null);
      const finished = sample.finished.filter(fits);
      return {
        open: state === 'finished' ? [] : open,
        finished: state === 'all' || state === 'finished' ? finished : [],
        next: null,
        counts: {
          open: sample.open.length,
          waits: sample.open.filter(({ needs }) => needs !== null).length,
          onTheWay: sample.open.filter(isMoving).length,
          finished: 1912,
          held: sample.open.reduce((sum, { tally }) => sum + tally.held, 0),
          fit: finished.length,
        },
        until: null,
        people: ['T. Harker', 'J. Okafor'],
        shares: [{ name: 'tender', drop: '/srv/tender/drop', seen: true }],
      };
    },
    'GET /api/jobs/:share/:job': ({ params }) =>
      headOf([...sample.open, ...sample.finished].find(({ job: id }) => id === params.job) ?? WAITING),
    'GET /api/jobs/:share/:job/rows': ({ query }) => {
      const wanted = query.columns.split('\n').filter(Boolean);
      const cellsOf = ({ row }: JobRow) =>
        wanted.map(header => (header === 'Zone' ? `Zone ${(row ?? 0) % 7}` : null));
      const rows = sample.rows.map(row => ({ ...row, cells: cellsOf(row) }));
      return { version: '1', columns: ['Zone', 'Checked by'], wanted, rows };
    },
    'GET /api/jobs/:share/:job/rows/:key': ({ params }) => {
      const row = sample.rows.find(({ key }) => key === params.key);
      if (row === undefined) throw new Error(`There is no row ${params.key}`);
      return sampleDetail(row);
    },
    'GET /api/waiting/count': () => ({ held: 25 }),
    'GET /api/operations/sign': () => {
      const away = [...(sample.away ?? [])];
      return { isAway: away.length > 0, mustAct: false, away };
    },
    'GET /api/fields/:share': () => SAMPLE_FIELDS,
    'GET /api/find': ({ query: { q } }) => ({
      found: sample.rows
        .filter(({ number }) => number?.includes(q))
        .slice(0, 8)
        .map(({ key, number, file, revision, outcome, since }) => ({
          kind: 'document' as const,
          share: 'tender',
          job: WAITING.job,
          jobName: WAITING.name,
          key,
          label: number ?? file,
          revision,
          outcome,
          since,
        })),
      more: false,
    }),
  };
}
