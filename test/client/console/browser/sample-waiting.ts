// What waits in the tests of the view, and a server that takes answers for it.
import type {
  AnswersTold,
  FieldsPage,
  GivenAnswer,
  HeldRow,
  ProjectFieldOf,
  SaidOfDocuments,
  WaitingPage,
} from '../../../../client/console/contract/waiting';
import type { Fakes } from './browser-bed';

const NOW = Date.now();
const at = (minutes: number) => new Date(NOW + minutes * 60_000).toISOString();
const JOB = { share: 'tender', job: 'TR-0142', batchId: '20261123-093000-aaaaaa' };

export function heldRow(index: number, rest: Partial<HeldRow> = {}): HeldRow {
  return {
    ...JOB,
    jobName: 'TR-0142 Structural IFC',
    index,
    path: `TR-0142/A-${index}.pdf`,
    file: `A-${index}.pdf`,
    row: index + 10,
    number: `HBT-ARU-ZZ-03-DR-S-${String(index + 12).padStart(4, '0')}`,
    revision: 'P02',
    title: 'Level 03, general arrangement',
    question: 'missing-values',
    reason: 'The project requires "Status", and nothing gives this value.',
    whatToDo: 'Give it.',
    missing: ['Status'],
    values: [
      { field: 'type', text: 'Drawing', from: 'file name' },
      { field: 'date', text: '2026-11-18', from: 'register row 9, column D' },
    ],
    since: at(-70),
    until: at(7 * 24 * 60),
    ...rest,
  };
}

export function wrongRow(index: number): HeldRow {
  return heldRow(index, {
    missing: [],
    reason:
      'In "register.xlsx": "IFC" for "Status" is not a value of this project. Nearest: For construction.',
    values: [{ field: 'status', text: 'IFC', from: 'register row 9, column F' }],
  });
}

export function dateRow(index: number, rest: Partial<HeldRow> = {}): HeldRow {
  return heldRow(index, {
    missing: ['Revision date'],
    reason: 'The project requires "Revision date", and nothing gives this value.',
    values: [],
    ...rest,
  });
}

/** From now. */
export function inHours(hours: number): string {
  return at(hours * 60);
}

export function reviewRow(index: number): HeldRow {
  return heldRow(index, {
    question: 'workflow-conflict',
    missing: [],
    reason: 'P01 is in "Structural review 14", which has not ended.',
  });
}

const field = (name: string, label: string, rest: Partial<ProjectFieldOf> = {}): ProjectFieldOf => ({
  name,
  label,
  takes: 'one-of',
  isPeople: false,
  required: false,
  requiredByType: [],
  requiredByFields: [],
  isForced: false,
  values: [],
  ...rest,
});
const STATUSES = [
  'A4 For construction',
  'AB As constructed',
  'S1 For coordination',
  'S3 For review and comment',
];
const toValue = (text: string) => ({ code: text.slice(0, 2), label: text.slice(3) });
/** Known since a minute. */
export function fieldsPage(fields: readonly ProjectFieldOf[]): FieldsPage {
  return { at: at(-1), dates: null, emptyWord: '-', fields: [...fields] };
}

export const SAMPLE_FIELDS = fieldsPage([
  field('type', 'Type', { values: [{ label: 'Drawing', code: 'D' }] }),
  field('status', 'Status', { requiredByType: ['Drawing'], values: STATUSES.map(toValue) }),
  field('date', 'Revision date', { takes: 'date' }),
]);

export interface WaitingSample {
  rows: readonly HeldRow[];
  answered: readonly GivenAnswer[];
  /** What was saved. */
  said: SaidOfDocuments[];
}

export function waitingFakes(sample: WaitingSample): Fakes {
  return {
    'GET /api/jobs': () => ({
      open: [],
      finished: [],
      next: null,
      counts: { open: 0, waits: 0, onTheWay: 0, finished: 0, held: 0, fit: 0 },
      until: null,
      people: [],
      shares: [],
    }),
    'GET /api/waiting': (): WaitingPage => ({
      rows: [...sample.rows],
      jobs:
        sample.rows.length === 0
          ? []
          : [{ share: JOB.share, job: JOB.job, name: 'TR-0142 Structural IFC', held: sample.rows.length }],
      answered: [...sample.answered],
      used: [{ share: JOB.share, job: JOB.job, field: 'status', text: 'A4', rows: 280 }],
      conflicts: { tender: 'ask' },
      away: null,
      mayAnswer: true,
      at: at(0),
    }),
    'GET /api/waiting/count': () => ({ held: sample.rows.length }),
    'GET /api/fields/:share': () => SAMPLE_FIELDS,
    'POST /api/answers': ({ body }) => take(sample, body.answers),
  };
}

/** What waits is taken; of the rest somebody else was first. */
function take(sample: WaitingSample, answers: readonly SaidOfDocuments[]): AnswersTold {
  sample.said.push(...answers);
  const all = answers.flatMap(({ share, batchId, documents }) =>
    documents.map(index => ({ share, batchId, index })),
  );
  const isHeld = ({ index }: { readonly index: number }) => sample.rows.some(row => row.index === index);
  const taken = all.filter(isHeld);
  const refused = all.filter(one => !isHeld(one));
  sample.rows = sample.rows.filter(row => !taken.some(({ index }) => index === row.index));
  return {
    taken,
    refused: refused.map(one => ({
      ...one,
      why: 'It does not wait any more.',
      before: { by: 'J. Okafor', at: at(-1), said: 'Status = A4' },
    })),
  };
}

export function answeredBy(by: string, index: number, values: Record<string, string>): GivenAnswer {
  return { share: JOB.share, batchId: JOB.batchId, index, by, at: at(-1), said: '', values };
}
