// The whole way of a document, from the drop folder to its receipt, as far as it was noted: times only where
// they are known. Pure.
import type { DatedRecord } from '../../../activities/share/batch/fold-journal';
import type { ReceiptRow } from '../../../activities/share/batch/kept-receipt';
import { tellNoted } from '../../../activities/share/batch/noted-requirement';
import { nameOf } from '../../../activities/share/files/relative-path';
import { ANSWERED } from '../../../workflows/ingest/decide/describe-answer';
import type { HeldDocument } from '../../../workflows/ingest/ingest-contract';
import { toDurationText } from '../../session/terminal-text';
import type { RowDetail } from '../contract/jobs';
import { texts } from '../texts/texts';
import { hasEnded, type SeenJob } from './seen-job';
import type { SeenRow } from './to-rows';

const words = texts.jobs.way;

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
      : [...begun, next(words.isTakenOver)];
  }
  const steps = [
    ...begun,
    happened(manifest.createdAt, words.takenOver, words.takenOverAs(receipt.path)),
    ...tellRow(job, receipt),
    ...tellJournal(of.index, records),
    ...tellAnalysis(receipt),
    ...tellWaits(receipt),
    ...tellAnswers(receipt),
    ...tellEnd(row, receipt, records, held),
  ];
  if (of.part.endedAt !== undefined) steps.push(happened(of.part.endedAt, words.inReceipt));
  if (!hasEnded(job)) steps.push(next(words.receipt));
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
  return happened(null, words.dropped(by), job === undefined ? null : words.droppedIn(name));
}

function tellRow({ job }: SeenJob, { row }: ReceiptRow): Step[] {
  if (row === undefined) return [];
  const register = job?.record.register;
  return [happened(null, words.inRow(row, register && nameOf(register.path)))];
}

function tellJournal(index: number, records: readonly DatedRecord[]): Step[] {
  const steps = new Map<string, Step>();
  const note = (text: string, atMs: number, detail: string | null = null) => {
    // A step that was tried again is told once: as it went the last time.
    steps.delete(text);
    steps.set(text, happened(new Date(atMs).toISOString(), text, detail));
  };
  const isIts = (one: { readonly index: number }) => one.index === index;
  for (const { record, atMs } of [...records].sort((one, other) => one.atMs - other.atMs)) {
    switch (record.kind) {
      case 'created': {
        const upload = record.uploads.find(isIts);
        if (upload) note(words.expected, atMs, words.upload(upload.uploadId));
        break;
      }
      case 'transferred':
        if (record.files.some(isIts)) note(words.uploaded, atMs);
        break;
      case 'completed':
        if (record.uploads.some(isIts)) note(words.completed, atMs);
        break;
      case 'required': {
        const one = record.documents.find(isIts);
        if (one) note(words.required, atMs, tellNoted(one));
        break;
      }
      case 'intent':
        if (record.uploads.some(isIts)) note(words.aboutToBe, atMs);
        break;
      case 'overtaken': {
        const one = record.documents.find(isIts);
        const by = one?.by.revision;
        if (one) note(words.overtaken, atMs, by === undefined ? null : words.revision(by));
        break;
      }
      default:
    }
  }
  return [...steps.values()];
}

function tellAnalysis({ analysis }: ReceiptRow): Step[] {
  if (analysis === undefined) return [];
  const { waitedMs, end, found = [], lacked = [] } = analysis;
  const said = [
    words.waitedFor(toDurationText(waitedMs)),
    ...(end === undefined ? [] : [words.analysisEnd[end]]),
    ...(found.length === 0 ? [] : [words.found(found.join(', '))]),
    ...(lacked.length === 0 ? [] : [words.leftEmpty(lacked.join(', '))]),
  ];
  return [happened(null, words.analysed, said.join('; '))];
}

function tellWaits({ waits = [] }: ReceiptRow): Step[] {
  return waits.map(wait => {
    const { sinceMs, untilMs, why } = wait;
    const text = wait.what === 'in-line' ? words.inLine : words.inReview;
    const told = untilMs === undefined ? text : words.lasted(text, toDurationText(untilMs - sinceMs));
    const outcome = wait.what === 'in-line' ? 'in-line' : 'on-the-way';
    return happened(new Date(sinceMs).toISOString(), told, why, outcome);
  });
}

function tellAnswers({ answers = [] }: ReceiptRow): Step[] {
  return answers.flatMap(({ by, atMs, sinceMs, said }) => [
    happened(new Date(sinceMs).toISOString(), words.held, null, 'held'),
    happened(new Date(atMs).toISOString(), words.answered(by), said),
  ]);
}

function tellEnd(
  { outcome, reason, code }: SeenRow,
  receipt: ReceiptRow,
  records: readonly DatedRecord[],
  held: HeldDocument | undefined,
): Step[] {
  if (code === ANSWERED) return [happened(null, reason ?? '', null, outcome), next(words.submitted)];
  switch (receipt.outcome) {
    case 'submitted': {
      const revision = receipt.revisionId ?? null;
      const detail = revision === null ? words.revisionLost : words.revision(revision);
      return [happened(receipt.submittedAt ?? null, words.submitted, detail, outcome)];
    }
    case 'skipped':
    case 'set-apart':
      return [happened(outcomeAt(receipt.index, records), reason ?? '', null, outcome)];
    case 'held': {
      const until = held === undefined ? null : new Date(held.untilMs).toISOString();
      const since = held === undefined ? (receipt.heldSince ?? null) : new Date(held.sinceMs).toISOString();
      return [
        happened(since, words.held, reason, 'held'),
        {
          ...next(until === null ? words.whenAnswered : words.setApartThen),
          at: until,
        },
      ];
    }
    case 'open':
      return outcome === 'in-line'
        ? [happened(null, words.inLine, reason, 'in-line'), next(words.submitted)]
        : [next(words.submitted)];
  }
}

function outcomeAt(index: number, records: readonly DatedRecord[]): string | null {
  for (const { record, atMs } of records) {
    if (record.kind === 'outcome' && record.outcomes.some(one => one.index === index))
      return new Date(atMs).toISOString();
  }
  return null;
}

/** Steps are sorted by their times; one without a time stays behind the step that it follows. */
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
