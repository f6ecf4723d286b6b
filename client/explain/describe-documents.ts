// What `drawbridge explain` shows: a document's way in lines that people read. Pure.
import { entryOf } from '../../activities/host/entry-of';
import type { LedgerDocument } from '../../activities/ledger/index-keys';
import { tellNoted } from '../../activities/share/batch/noted-requirement';
import { beginOfAnswer } from '../../workflows/ingest/decide/describe-answer';
import type { HeldDocument } from '../../workflows/ingest/ingest-contract';
import { toDurationText, toVisible } from '../session/terminal-text';
import type { Kept, KeptValues, KeptWait } from './kept-values';

/** What a screen can use; `--json` has no such bound. */
const MOST_SHOWN = 50;

export interface ExplainedDocument extends LedgerDocument {
  readonly kept: Kept;
}

export interface ExplainReport {
  /** The newest first. */
  readonly documents: readonly ExplainedDocument[];
  /** Shares of whose documents nothing is said, each with the reason. */
  readonly unseen: readonly string[];
}

export function describeDocuments(wanted: string, { documents, unseen }: ExplainReport): string {
  const shown = documents.slice(0, MOST_SHOWN).map(describeDocument);
  const more = documents.length - shown.length;
  return [
    ...(documents.length === 0
      ? [`No document that was sent from here is known by "${toVisible(wanted)}".`]
      : shown),
    ...(more > 0 ? [`${more} more; --json shows all of them.`] : []),
    ...unseen.map(why => toVisible(why)),
  ].join('\n\n');
}

function describeDocument(one: ExplainedDocument): string {
  const which = one.revision === null ? '' : `, revision ${one.revision}`;
  const number = one.number === null ? '' : `, Number ${one.number}`;
  const from = one.job === null ? '' : ` of job "${one.job.name}"`;
  const rows = [
    ['revision id', one.revisionId ?? 'not told: the answer to its submission was lost'],
    ['sent', new Date(one.submittedAtMs).toISOString()],
    ['dropped as', `${one.path} in share ${one.share}`],
    ['batch', `${one.batchId}${from}, document ${one.index}`],
    ['upload id', one.uploadId ?? 'not known'],
    ['sha256', `${one.sha256} (${one.sizeBytes} bytes, ${one.mimeType})`],
  ] as const;
  return [
    toVisible(`"${one.name}"${number}${which}`),
    ...[...rows, ...describeKept(one.kept)].map(([label, text]) => `  ${label.padEnd(12)}${toVisible(text)}`),
  ].join('\n');
}

type Line = readonly [label: string, text: string];

function describeKept(kept: Kept): readonly Line[] {
  if ('unknown' in kept) return [['values', `not known: ${kept.unknown}`]];
  const { row, values, requirement, analysis, answers, waits, notes } = kept;
  return [
    ...(row === null ? [] : [['register', `row ${row}`] as const]),
    ...list(
      'values',
      values.map(
        ({ label, value, from }) => `${label}: ${value} (${from ?? 'where it is from was not kept'})`,
      ),
    ),
    ...(requirement === null ? [] : [['requirement', tellNoted(requirement)] as const]),
    ...list('analysis', analysis === null ? [] : describeAnalysis(analysis)),
    ...list('waited', waits.map(describeWait)),
    ...list('answered', answers.map(describeAnswer)),
    ...list(
      'notes',
      notes.filter(note => !answers.some(answer => isNoteOf(answer, note))),
    ),
  ];
}

function list(label: string, texts: readonly string[]): readonly Line[] {
  return texts.map((text, at) => [at === 0 ? label : '', text] as const);
}

const ENDS = { late: 'it had not ended by then', failed: 'it failed' } as const;

function describeAnalysis({
  waitedMs,
  end,
  found = [],
  lacked = [],
  replaced = [],
}: NonNullable<KeptValues['analysis']>): readonly string[] {
  const ended = end === undefined ? '' : `; ${ENDS[end]}`;
  return [
    `waited for ${toDurationText(waitedMs)}${ended}`,
    ...(found.length === 0 ? [] : [`found ${found.join(', ')}`]),
    ...(lacked.length === 0 ? [] : [`left empty ${lacked.join(', ')}`]),
    ...replaced.map(({ label, value }) => `had found ${value} for ${label}, before somebody gave it`),
  ];
}

const QUESTIONS: Readonly<Record<HeldDocument['question'], string>> = {
  'missing-values': 'values that it lacked',
  'workflow-conflict': 'workflows that ran in the service',
  overtaken: 'a later revision that had gone first',
  duplicate: 'its being sent before, or too late',
};

/** For example "2026-02-03T14:05:00Z by Maria: try again (asked 2 h before about values that it lacked)". */
function describeAnswer({ by, at, askedAt, question, said }: KeptValues['answers'][number]): string {
  const waited = toDurationText(Date.parse(at) - Date.parse(askedAt));
  // Receipts of other builds may keep a question that this one does not ask.
  const about = entryOf(QUESTIONS, question) ?? question;
  return `${at} by ${by ?? 'somebody who gave no name'}: ${said} (asked ${waited} before about ${about})`;
}

type Policy = Extract<KeptWait, { readonly what: 'workflow-conflict' }>['policy'];

const POLICIES: Readonly<Record<Policy, string>> = {
  ask: 'somebody was asked',
  wait: 'it was tried again by itself',
  terminate: 'they were to be ended, as the share is set',
  'set-apart': 'it was set apart, as the share is set',
};

/** For example "2026-02-03T14:05:00Z: in line for 12 min, behind revision A ... in batch ...". */
function describeWait(wait: KeptWait): string {
  const { since, until, why } = wait;
  const lasted = until === null ? undefined : toDurationText(Date.parse(until) - Date.parse(since));
  if (wait.what === 'in-line')
    return `${since}: in line ${lasted === undefined ? '(until when was not seen)' : `for ${lasted}`}, behind ${why}`;
  const { times, policy } = wait;
  // Refusals whose activity was cut before it could tell of them are not counted.
  const least = policy === 'wait' ? 'at least ' : '';
  const often = times === 1 ? `refused ${least}once` : `refused ${least}${times} times within ${lasted}`;
  return `${since}: ${often}, ${POLICIES[policy]}. ${why}`;
}

/** What was answered is told above, with more. */
function isNoteOf({ by, at }: KeptValues['answers'][number], note: string): boolean {
  return by !== null && note.startsWith(beginOfAnswer(by, Date.parse(at)));
}
