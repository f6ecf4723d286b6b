// How `drawbridge resume` shows what stopped short: a table of one line a batch, below it
// what was set apart, and counts.

import { tellCount } from '../../activities/registers/words/outcome-words';
import type { WithRow } from '../../activities/share/receipt/set-apart';
import { type Paint, toShellWord, toTable, toVisible } from '../session/terminal-text';
import type { Continued, ContinuePlan } from './continue-batch';
import type { PutBack } from './put-back';
import type { SetApartDocument, StoppedBatch } from './stopped-batch';
import type { Findings } from './stopped-batches';

export interface BatchRow {
  readonly batch: StoppedBatch;
  readonly plan: ContinuePlan;
  /** Absent in a dry run, and where nothing can be done. */
  readonly result?: Continued | undefined;
}

export interface DocumentRow {
  readonly document: SetApartDocument;
  /** It may have its revision already, and was not named: it is not put back. */
  readonly lookFirst: boolean;
  /** Absent unless it was asked to be put back. */
  readonly result?: PutBack | undefined;
}

export interface Account {
  readonly batches: readonly BatchRow[];
  readonly documents: readonly DocumentRow[];
  readonly unreadable: Findings['unreadable'];
  readonly limitedTo?: Findings['limitedTo'];
  readonly unseen: readonly { readonly name: string; readonly why: string }[];
  /** Shares whose watch was another Temporal's until now. */
  readonly watchTaken: readonly string[];
  readonly dryRun: boolean;
  /** Documents set apart go back into the drop folder. */
  readonly takeUp: boolean;
  /** Only some of what there may be was asked for. */
  readonly isFiltered: boolean;
  /** The batch that was named, where it stopped and other filters leave it out. */
  readonly leftOut?: StoppedBatch | undefined;
}

export interface TableStyle {
  readonly paint: Paint;
  /** Characters a line; reasons are cut to fit. */
  readonly width: number;
  /** How the command is called here. */
  readonly command: string;
  readonly nowMs: number;
}

const MOST_DOCUMENTS = 50;
const LEAST_REASON = 24;

/** Everything found and done, ending with a line of counts. */
export function describeAccount(account: Account, style: TableStyle): string {
  const blocks = [
    describeBatchRows(account, style),
    describeTroubles(account),
    describeDocuments(account, style),
    describeUnseen(account),
    describeLimit(account),
    describeTaken(account),
    describeCounts(account, style),
  ];
  return blocks.filter(block => block !== '').join('\n\n');
}

function describeLimit({ limitedTo }: Account): string {
  if (limitedTo === undefined) return '';
  return `No more than the newest ${tellCount(limitedTo)} unfinished runs of batches were looked at. Of shares that are not seen here, more may have stopped.`;
}

function describeBatchRows({ batches, dryRun }: Account, style: TableStyle): string {
  if (batches.length === 0) return '';
  const head = ['BATCH', 'SHARE', 'STOPPED', 'SINCE', dryRun ? 'WOULD' : 'DONE', 'REASON'];
  const rows = batches.map(row => [
    row.batch.batchId,
    row.batch.shareName ?? '?',
    row.batch.state,
    toAge(row.batch.sinceMs, style.nowMs),
    toDeed(row),
    shortReason(row.batch.reason.text),
  ]);
  return fitLast([head, ...rows], style.width);
}

function toDeed({ plan, result }: BatchRow): string {
  if (result?.kind === 'failed' && plan.kind !== 'none') return 'failed';
  if (result?.kind === 'goes-on-already') return 'nothing, it goes on';
  switch (plan.kind) {
    case 'none':
      return plan.hint;
    case 'reset':
      return `reset to ${plan.task.eventId}`;
    default:
      return DEEDS[plan.kind];
  }
}

const DEEDS = {
  signal: 'resume',
  start: 'start',
  adopt: 'adopt and start',
  move: 'move files',
  'new-run': 'new run',
  'take-over': 'take over',
} as const;

function describeTroubles({ batches }: Account): string {
  const failed = batches.flatMap(({ batch, plan, result }) =>
    result?.kind === 'failed' && plan.kind !== 'none'
      ? [`${batch.batchId} could not be continued: ${oneLine(result.why)}`]
      : [],
  );
  // What is to be done does not fit into the table; it is the same for all of them.
  const otherKey = batches.find(({ batch }) => batch.reason.code === 'key-differs');
  return [...failed, ...(otherKey === undefined ? [] : [oneLine(otherKey.batch.reason.text)])].join('\n');
}

function describeDocuments(account: Account, style: TableStyle): string {
  const { documents, unreadable, takeUp, dryRun } = account;
  const broken = unreadable.map(
    ({ share, batchId, why }) =>
      `attention/${batchId} on share ${share}: ${oneLine(why)} So nobody can tell which of its files have a revision: look for each in the service, and drop again by hand only what is not there.`,
  );
  if (documents.length === 0) return broken.join('\n');
  const shown = documents.slice(0, MOST_DOCUMENTS);
  const rows = shown.map(row => [
    row.document.batchId,
    oneLine(row.document.path, 40),
    takeUp ? toReturn(row, dryRun) : row.document.reason.code,
    oneLine(`${row.document.reason.text} ${row.document.reason.fix}`),
  ]);
  const head = ['BATCH', 'SET APART', takeUp ? (dryRun ? 'WOULD' : 'DONE') : 'CODE', 'REASON AND WHAT TO DO'];
  const more =
    documents.length > shown.length
      ? [`... and ${documents.length - shown.length} more; --json has all`]
      : [];
  const hint = takeUp
    ? [...describeLookFirst(documents, style), ...describeKept(documents)]
    : [
        `Correct these and drop them again; or, once the cause is repaired: ${style.command} resume --set-apart`,
      ];
  return [fitLast([head, ...rows], style.width), ...more, ...broken, ...hint].join('\n');
}

/** What to look at before those are put back that may have their revision. */
function describeLookFirst(documents: readonly DocumentRow[], { command }: TableStyle): readonly string[] {
  const codes = documents.flatMap(({ lookFirst, document }) => (lookFirst ? [document.reason.code] : []));
  if (codes.length === 0) return [];
  const [first = ''] = codes;
  return [
    `${codes.length === 1 ? '1 document was' : `${codes.length} documents were`} left where ${codes.length === 1 ? 'it lies' : 'they lie'}: ` +
      'the service may have made a revision of it, or somebody may have submitted its upload. Put back, it could become a second revision.',
    'Look for each in the service first, by its name and by the upload_id in its receipt. If it is not there, name it: ' +
      `${command} resume --set-apart --document <path>, or all of a reason: ${command} resume --set-apart --reason ${toShellWord(first)}`,
  ];
}

/** Why some do not go, though they may: without its row a document would become another revision. */
function describeKept(documents: readonly DocumentRow[]): readonly string[] {
  const kept = new Set(documents.flatMap(row => keptFor(row) ?? []));
  return (['later', 'never'] as const).filter(each => kept.has(each)).map(each => KEPT[each].means);
}

const KEPT = {
  later: {
    word: 'waits for its receipt',
    means:
      'What came with a register goes with its row, and so not before its folder has its receipt: until then others of it are on their way, or held.',
  },
  never: {
    word: 'drop it with its row',
    means:
      'What came with a register that no folder of this share keeps is not put back without its row: drop it again, with a register that lists it.',
  },
};

/** What one that came with a register stays for; undefined where it goes, or stays for another reason. */
function keptFor({ document, lookFirst, result }: DocumentRow): Exclude<WithRow, 'now'> | undefined {
  if (lookFirst) return undefined;
  const withRow = result === undefined ? document.withRow : asKept(result);
  return withRow === 'now' ? undefined : withRow;
}

/** Of one that could have gone by now nothing is known but that its receipt was not there. */
function asKept(result: PutBack): Exclude<WithRow, 'now'> | undefined {
  if (result.kind !== 'needs-row') return undefined;
  return result.withRow === 'now' ? 'later' : result.withRow;
}

function toReturn(row: DocumentRow, dryRun: boolean): string {
  const { result, lookFirst } = row;
  if (lookFirst) return 'look first';
  const kept = keptFor(row);
  if (kept !== undefined) return KEPT[kept].word;
  if (dryRun) return 'back into drop';
  switch (result?.kind) {
    case 'in-drop':
      return 'back in drop';
    case 'name-taken':
      return 'name taken in drop';
    case 'unclear':
      return `not certain which: ${oneLine(result.names.join(', '), 60)}`;
    case 'waits':
      return `waits: ${oneLine(result.why, 60)}`;
    case 'failed':
      return `failed: ${oneLine(result.why, 60)}`;
    default:
      return 'gone already';
  }
}

function describeUnseen({ unseen }: Account): string {
  return unseen
    .map(
      ({ name, why }) =>
        `Share ${name} is not seen from here: ${oneLine(why)}. Only what Temporal knows of it is listed.`,
    )
    .join('\n');
}

function describeTaken({ watchTaken, dryRun }: Account): string {
  return watchTaken
    .map(
      name => `Share ${name} ${dryRun ? 'would be' : 'is now'} watched by this Temporal instead of another.`,
    )
    .join('\n');
}

function describeCounts(account: Account, { paint }: TableStyle): string {
  const counts = countAccount(account);
  if (account.batches.length + account.documents.length + account.unreadable.length === 0) {
    return paint('green', account.isFiltered ? 'Nothing that fits stopped short.' : 'Nothing stopped short.');
  }
  const words = [
    count(counts.continued, account.dryRun ? 'batch would be continued' : 'batch continued', 'batch'),
    count(counts.goesOn, 'batch goes on already', 'batch'),
    count(counts.waiting, 'batch waits for somebody', 'batch'),
    count(counts.elsewhere, 'batch is carried by another Temporal', 'batch'),
    count(counts.failed, 'batch could not be continued', 'batch'),
    count(counts.returned, account.dryRun ? 'document would be put back' : 'document put back', 'document'),
    count(counts.setApart, 'document set apart', 'document'),
    count(account.unreadable.length, 'receipt unreadable', 'receipt'),
  ].filter(text => text !== '');
  const colour = counts.failed > 0 ? 'red' : counts.waiting + counts.setApart > 0 ? 'yellow' : 'green';
  return paint(colour, `${words.join(', ')}.`);
}

export interface AccountCounts {
  readonly continued: number;
  readonly goesOn: number;
  /** Nothing that a command can do: an answer, a worker, a repair. */
  readonly waiting: number;
  /** Another Temporal carries them: nobody has to do anything while that one is at work. */
  readonly elsewhere: number;
  readonly failed: number;
  readonly returned: number;
  /** Still set apart afterwards. */
  readonly setApart: number;
}

export function countAccount({ batches, documents, dryRun, takeUp }: Account): AccountCounts {
  const can = batches.filter(({ plan }) => plan.kind !== 'none');
  const failed = can.filter(({ result }) => result?.kind === 'failed').length;
  const goesOn = can.filter(({ result }) => result?.kind === 'goes-on-already').length;
  const elsewhere = batches.filter(
    ({ batch, plan }) => plan.kind === 'none' && batch.state === 'elsewhere',
  ).length;
  const returned = takeUp
    ? documents.filter(row => (dryRun ? goes(row) : row.result?.kind === 'in-drop')).length
    : 0;
  const gone = documents.filter(({ result }) => result?.kind === 'gone').length;
  return {
    continued: can.length - failed - goesOn,
    goesOn,
    waiting: batches.length - can.length - elsewhere,
    elsewhere,
    failed,
    returned,
    setApart: documents.length - returned - gone,
  };
}

function goes(row: DocumentRow): boolean {
  return !row.lookFirst && keptFor(row) === undefined;
}

const PLURALS = { goes: 'go', waits: 'wait', is: 'are' } as const;

/** `2 batches continued`: the noun as the number asks. */
function count(amount: number, text: string, noun: string): string {
  if (amount === 0) return '';
  if (amount === 1) return `1 ${text}`;
  const plural = noun === 'batch' ? 'batches' : `${noun}s`;
  return `${amount} ${text.replace(noun, plural).replace(/ (goes|waits|is) /, (_, word) => ` ${PLURALS[word as keyof typeof PLURALS]} `)}`;
}

/** The last column takes what the line has left. */
function fitLast(rows: readonly (readonly string[])[], width: number): string {
  const firsts = rows.map(row => row.slice(0, -1));
  const taken =
    Math.max(
      ...toTable(firsts)
        .split('\n')
        .map(line => [...line].length),
    ) + 2;
  const left = Math.max(LEAST_REASON, width - taken);
  return toTable(rows.map(row => [...row.slice(0, -1), cutEnd(row.at(-1) ?? '', left)]));
}

/** Routes are long, and their end tells what was asked for. */
function shortReason(text: string): string {
  return oneLine(text.replace(/^([A-Z]+) \/\S*(\/\S+)/, '$1 …$2'));
}

function cutEnd(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join('')}…`;
}

function oneLine(text: string, width = Number.POSITIVE_INFINITY): string {
  return toVisible(text.replaceAll(/\s+/g, ' ').trim(), width);
}

function toAge(sinceMs: number | undefined, nowMs: number): string {
  if (sinceMs === undefined) return '?';
  const minutes = Math.max(0, nowMs - sinceMs) / 60_000;
  if (minutes < 2) return `${Math.round(minutes * 60)} s`;
  if (minutes < 120) return `${Math.round(minutes)} min`;
  return minutes < 2_880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1_440)} d`;
}
