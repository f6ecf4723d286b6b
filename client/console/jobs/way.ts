// The whole way of a document, from the drop folder to its receipt, as far as it was noted: times only where
// they are known. Pure.
import type { DatedRecord } from '../../../activities/share/batch/fold-journal';
import type { ReceiptRow } from '../../../activities/share/batch/kept-receipt';
import { tellNoted } from '../../../activities/share/batch/noted-requirement';
import { nameOf } from '../../../activities/share/files/relative-path';
import type { HeldDocument } from '../../../workflows/ingest/ingest-contract';
import { toDurationText } from '../../session/terminal-text';
import type { RowDetail } from '../contract/jobs';
import { hasEnded, type SeenJob } from './seen-job';
import type { SeenRow } from './to-rows';

type Step = RowDetail['way'][number];

export interface WayInput {
  readonly job: SeenJob;
  readonly row: SeenRow;
  /** The journal of its batch. */
  readonly records: readonly DatedRecord[];
  /** What its run asks of people now. */
  readonly held: HeldDocument | undefined;
}

export function tellWay({ job, row, records, held }: WayInput): Step[] {
  const { of } = row;
  const begun = [dropped(job)];
  const receipt = of?.part.rows[of.index];
  const manifest = of?.part.sealed?.manifest;
  if (of === undefined || receipt === undefined || manifest === undefined) {
    return row.outcome === 'set-apart'
      ? [happened(null, row.reason ?? '', null, 'set-apart')]
      : [...begun, next('Is taken over')];
  }
  const steps = [
    ...begun,
    happened(manifest.createdAt, 'Taken over', `as ${receipt.path}`),
    ...tellRow(job, receipt),
    ...tellJournal(of.index, records),
    ...tellAnalysis(receipt),
    ...tellWaits(receipt),
    ...tellAnswers(receipt),
    ...tellEnd(row, receipt, records, held),
  ];
  if (of.part.endedAt !== undefined) steps.push(happened(of.part.endedAt, 'In the receipt of its batch'));
  if (!hasEnded(job)) steps.push(next('The receipt of the job'));
  return inOrder(steps);
}

function happened(
  at: string | null,
  text: string,
  detail: string | null = null,
  outcome: Step['outcome'] = null,
): Step {
  return { at, hasHappened: true, text, detail, outcome };
}

function next(text: string): Step {
  return { at: null, hasHappened: false, text, detail: null, outcome: null };
}

function dropped({ job, by, name }: SeenJob): Step {
  return happened(
    null,
    by === null ? 'Dropped' : `Dropped by ${by}`,
    job === undefined ? null : `in ${name}`,
  );
}

function tellRow({ job }: SeenJob, { row }: ReceiptRow): Step[] {
  if (row === undefined) return [];
  const register = job?.record.register;
  return [
    happened(
      null,
      `Row ${row} of ${register === undefined ? 'its register' : nameOf(register.path)} is about it`,
    ),
  ];
}

const UPLOADED = 'Uploaded';
const COMPLETED = 'Has all its values';

function tellJournal(index: number, records: readonly DatedRecord[]): Step[] {
  const steps = new Map<string, Step>();
  const note = (text: string, atMs: number, detail: string | null = null) => {
    // Tried again, it is told once: as it went the last time.
    steps.delete(text);
    steps.set(text, happened(new Date(atMs).toISOString(), text, detail));
  };
  const isIts = (one: { readonly index: number }) => one.index === index;
  for (const { record, atMs } of [...records].sort((one, other) => one.atMs - other.atMs)) {
    switch (record.kind) {
      case 'created': {
        const upload = record.uploads.find(isIts);
        if (upload) note('The service expects its file', atMs, `upload ${upload.uploadId}`);
        break;
      }
      case 'transferred':
        if (record.files.some(isIts)) note(UPLOADED, atMs);
        break;
      case 'completed':
        if (record.uploads.some(isIts)) note(COMPLETED, atMs);
        break;
      case 'required': {
        const one = record.documents.find(isIts);
        if (one) note('Has what the project requires', atMs, tellNoted(one));
        break;
      }
      case 'intent':
        if (record.uploads.some(isIts)) note('About to be submitted', atMs);
        break;
      case 'overtaken': {
        const one = record.documents.find(isIts);
        const by = one?.by.revision;
        if (one) note('A later revision went first', atMs, by === undefined ? null : `revision ${by}`);
        break;
      }
      default:
    }
  }
  return [...steps.values()];
}

const ENDS = { late: 'it had not ended by then', failed: 'it failed' } as const;

function tellAnalysis({ analysis }: ReceiptRow): Step[] {
  if (analysis === undefined) return [];
  const { waitedMs, end, found = [], lacked = [] } = analysis;
  const said = [
    `waited for ${toDurationText(waitedMs)}`,
    ...(end === undefined ? [] : [ENDS[end]]),
    ...(found.length === 0 ? [] : [`found ${found.join(', ')}`]),
    ...(lacked.length === 0 ? [] : [`left empty ${lacked.join(', ')}`]),
  ];
  return [happened(null, 'Read by the service', said.join('; '))];
}

function tellWaits({ waits = [] }: ReceiptRow): Step[] {
  return waits.map(wait => {
    const { sinceMs, untilMs, why } = wait;
    const text = wait.what === 'in-line' ? 'In line' : 'Waited for a review';
    const lasted = untilMs === undefined ? '' : ` for ${toDurationText(untilMs - sinceMs)}`;
    const outcome = wait.what === 'in-line' ? 'in-line' : 'on-the-way';
    return happened(new Date(sinceMs).toISOString(), `${text}${lasted}`, why, outcome);
  });
}

function tellAnswers({ answers = [] }: ReceiptRow): Step[] {
  return answers.flatMap(({ by, atMs, sinceMs, said }) => [
    happened(new Date(sinceMs).toISOString(), 'Held, waiting for a person', null, 'held'),
    happened(new Date(atMs).toISOString(), `Answered by ${by ?? 'somebody who gave no name'}`, said),
  ]);
}

function tellEnd(
  { outcome, reason }: SeenRow,
  receipt: ReceiptRow,
  records: readonly DatedRecord[],
  held: HeldDocument | undefined,
): Step[] {
  switch (receipt.outcome) {
    case 'submitted': {
      const revision = receipt.revisionId ?? null;
      const detail =
        revision === null ? 'the answer that named its revision was lost' : `revision ${revision}`;
      return [happened(receipt.submittedAt ?? null, 'Submitted', detail, outcome)];
    }
    case 'skipped':
    case 'set-apart':
      return [happened(outcomeAt(receipt.index, records), reason ?? '', null, outcome)];
    case 'held': {
      const until = held === undefined ? null : new Date(held.untilMs).toISOString();
      const since = held === undefined ? (receipt.heldSince ?? null) : new Date(held.sinceMs).toISOString();
      return [
        happened(since, 'Held, waiting for a person', reason, 'held'),
        {
          ...next(
            until === null ? 'Goes on when it is answered' : 'Is set apart then, if it is not answered',
          ),
          at: until,
        },
      ];
    }
    case 'open':
      return outcome === 'in-line'
        ? [happened(null, 'In line', reason, 'in-line'), next('Submitted')]
        : [next('Submitted')];
  }
}

function outcomeAt(index: number, records: readonly DatedRecord[]): string | null {
  for (const { record, atMs } of records) {
    if (record.kind === 'outcome' && record.outcomes.some(one => one.index === index))
      return new Date(atMs).toISOString();
  }
  return null;
}

/** Those with a time by it; what has none stays behind what it follows. */
function inOrder(steps: readonly Step[]): Step[] {
  let lastMs = Number.NEGATIVE_INFINITY;
  const placed = steps.map((step, at) => {
    const atMs = step.at === null || !step.hasHappened ? lastMs : Date.parse(step.at);
    lastMs = Math.max(lastMs, atMs);
    return { step, at, atMs: step.hasHappened ? atMs : Number.POSITIVE_INFINITY };
  });
  return placed
    .sort((one, other) => (one.atMs === other.atMs ? 0 : one.atMs - other.atMs) || one.at - other.at)
    .map(({ step }) => step);
}
