// The live view of `run`: turns log records that carry an `event` into lines for people, one for each thing
// that happens to a file, and nothing for requests and other machinery.
import { OTHER_KEY_ADVICE } from '../../activities/share/claim/open-batches';
import type { LogRecord } from '../../workers/logging';
import {
  type Colour,
  type Paint,
  toDurationText,
  toShellWord,
  toSizeText,
  toVisible,
} from '../session/terminal-text';
import { describeWaiting, toDependencyText } from '../status/incident-text';

const PATH_WIDTH = 60;

export interface NarratedLine {
  readonly colour: Colour | undefined;
  /** What happened, in a word or two. */
  readonly verb: string;
  /** What it happened to. */
  readonly subject: string;
  readonly detail: string;
  /** What a person can do, indented below. */
  readonly hints: readonly string[];
}

export interface NarratorContext {
  /** Root folder of a share, for the places that are named. */
  readonly folderOf: (share: string) => string | undefined;
  /** How commands are called here, for example `npm run drawbridge --`. */
  readonly command: string;
}

/** Tells what a record means to somebody who looks on; undefined when it means nothing to them. */
export function narrate(record: LogRecord, context: NarratorContext): NarratedLine | undefined {
  const path = text(record, 'path');
  const batch = text(record, 'batchId');
  switch (record.event) {
    case 'file-claimed':
      return line('dim', 'claimed', path, `${toSizeText(number(record, 'sizeBytes'))}, batch ${batch}`);
    case 'file-returned':
      return line('dim', 'put back', path, text(record, 'why'));
    case 'file-waiting':
      return line('yellow', 'waits', path, text(record, 'why'));
    case 'register-waits':
      return narrateWaiting(record, path);
    case 'files-left':
      return narrateLeft(record, path);
    case 'document':
      return narrateDocument(record, context);
    case 'batch-adopted':
      return line(
        undefined,
        'taken up',
        `batch ${batch}`,
        `${number(record, 'files')} files, left unfinished before`,
      );
    case 'batch-opened':
      return line(undefined, 'opened', `batch ${batch}`, plural(number(record, 'documents'), 'document'));
    case 'watched-elsewhere':
      return line(
        'yellow',
        'watched',
        `share ${text(record, 'share')}`,
        `by another Temporal: ${whoOf(record)}`,
        [
          'what is dropped is claimed and carried by that one: look there; nothing is claimed or started here',
          `once it has stood still for ${toDurationText(number(record, 'takeOverMs'))}, this one goes on by itself`,
          `if it is gone for good, at once: ${context.command} resume --take-over`,
        ],
      );
    case 'watch-taken':
      return line('green', 'watched', `share ${text(record, 'share')}`, 'by this Temporal now');
    case 'batch-held-elsewhere':
      return line('yellow', 'left', `batch ${batch}`, `to another Temporal: ${whoOf(record)}`, [
        `if that one is gone for good: ${context.command} resume ${batch} --take-over`,
      ]);
    case 'batch-blocked': {
      const reason = reasonOf(record);
      return line('yellow', 'waits', `batch ${batch}`, reason.text, [
        reason.fix,
        `goes on by itself once that is repaired; at once with: ${context.command} resume ${batch}`,
      ]);
    }
    case 'run-blocked': {
      const reason = reasonOf(record);
      const run = text(record, 'workflowId');
      return line('yellow', 'waits', run, reason.text, [
        reason.fix,
        `goes on by itself once that is repaired; at once with: ${context.command} resume ${toShellWord(run)}`,
      ]);
    }
    case 'batch-resumed': {
      const batches = number(record, 'batches');
      return line(
        'green',
        'goes on',
        batches > 1 ? plural(batches, 'batch', 'batches') : `batch ${batch}`,
        '',
      );
    }
    case 'batch-stopped':
      return line('red', 'stopped', `batch ${batch}`, 'its workflow ended without finishing it', [
        `why, and to go on: ${context.command} resume ${batch}`,
      ]);
    case 'batch-damaged':
      return line('red', 'damaged', `batch ${batch}`, text(record, 'why'));
    case 'mark-not-ours':
      return line('yellow', 'ignored', `share ${text(record, 'share')}`, text(record, 'file'), [
        text(record, 'why'),
        'If nobody but Drawbridge writes there, it was torn by a crash or is from before the share’s key was changed, and is written anew.',
      ]);
    case 'template-left':
      return line(
        'yellow',
        'left',
        `share ${text(record, 'share')}`,
        `${text(record, 'file')}: ${text(record, 'why')}`,
      );
    case 'batches-not-ours':
      return line(
        'yellow',
        'ignored',
        `share ${text(record, 'share')}`,
        `${plural(number(record, 'folders'), 'folder')} in .drawbridge/batches that Drawbridge did not make`,
        ['Whoever can write to the share may have put them there. They are left as they lie; see status.'],
      );
    case 'batches-other-key':
      return line(
        'yellow',
        'ignored',
        `share ${text(record, 'share')}`,
        `${plural(number(record, 'folders'), 'folder')} in .drawbridge/batches sealed with another key than this host has`,
        [text(record, 'why'), OTHER_KEY_ADVICE],
      );
    case 'batch-finished':
    case 'batch-settled-so-far':
      return narrateSettled(record, context);
    case 'job-settled': {
      const receipts = toReceiptHints(record, textsOf(record.receipts), context);
      return receipts.length === 0 ? undefined : line('green', 'finished', text(record, 'job'), '', receipts);
    }
    case 'sheet-dropped':
      return line('green', 'corrected', path, `lies as ${text(record, 'movedTo')} now, to be read`);
    case 'sheet-corrected': {
      const rows = plural(number(record, 'rows'), 'row');
      return line('green', 'corrected', path, `${rows} taken up: the files are in the drop folder again`);
    }
    case 'sheet-answered':
      return line(
        'green',
        'corrected',
        path,
        `${plural(number(record, 'rows'), 'row')} taken up: held no more`,
      );
    case 'sheet-told':
      return line(
        'yellow',
        'corrected',
        path,
        'not all of it was taken up',
        textsOf(record.told).slice(0, 5),
      );
    case 'sheet-waits':
      return line('yellow', 'waits', path, text(record, 'why'));
    case 'batches-full':
      return line(
        'dim',
        'full',
        plural(number(record, 'waiting'), 'file'),
        'wait in the drop folder for open batches to end',
      );
    default:
      return narrateSurroundings(record, context);
  }
}

/** One printed line, with its hints on lines below. */
export function renderLine(narrated: NarratedLine, at: Date, paint: Paint): string {
  const { colour, verb, subject, detail, hints } = narrated;
  const clock = paint('dim', at.toTimeString().slice(0, 8));
  const label = verb.padEnd(10);
  const painted = colour === undefined ? label : paint(colour, label);
  const shown = [toVisible(subject, PATH_WIDTH), toVisible(detail)].filter(part => part !== '').join('  ');
  const below = hints.filter(hint => hint !== '').map(hint => `\n${' '.repeat(20)}${toVisible(hint)}`);
  return `${clock}  ${painted}${shown}${below.join('')}`;
}

function whoOf(record: LogRecord): string {
  return `namespace "${text(record, 'namespace')}" at ${text(record, 'address')}, on ${text(record, 'holderHost')}`;
}

function narrateWaiting(record: LogRecord, path: string): NarratedLine {
  const named = textsOf(record.named);
  const more = number(record, 'missing') - named.length;
  const files = plural(number(record, 'missing'), 'file');
  return line(
    'yellow',
    'waits',
    path,
    `for ${files} that its register lists ("${text(record, 'register')}")`,
    [
      `not there: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
      `it goes once they are there, and without them in ${toDurationText(number(record, 'waitMs'))} at the latest`,
    ],
  );
}

function narrateLeft(record: LogRecord, path: string): NarratedLine {
  const named = textsOf(record.named);
  const more = number(record, 'files') - named.length;
  const files = plural(number(record, 'files'), 'file');
  return line('yellow', 'left', path, `${files} that no register lists; they stay in the drop folder`, [
    `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    'they go when a register that lists them is dropped into the folder',
  ]);
}

function narrateDocument(record: LogRecord, context: NarratorContext): NarratedLine | undefined {
  const path = text(record, 'path');
  const reason = reasonOf(record);
  switch (record.stage) {
    case 'sent':
      return line('dim', 'sent', path, '');
    case 'linked':
      return line('dim', 'linked', path, '');
    case 'analysed':
      return line('dim', 'analysed', path, '');
    case 'submitted': {
      const id = text(record, 'revisionId');
      return line('green', 'revision', path, id === '' ? 'submitted; its id was lost with the answer' : id);
    }
    case 'held': {
      const answer = toAnswer(text(record, 'question'), reason.code);
      const command = `${context.command} answer ${text(record, 'batchId')} ${quote(path)} ${answer}`;
      return line('yellow', 'held', path, reason.text, [reason.fix, `answer with: ${command}`]);
    }
    case 'skipped':
      return line('dim', 'skipped', path, reason.text);
    case 'set-apart':
      return line('red', 'set apart', path, reason.text, [reason.fix]);
    default:
      return undefined;
  }
}

/** @param question absent from what earlier versions log. */
function toAnswer(question: string, code: string): string {
  if (question === 'duplicate' || code === 'overtaken') return '--decision retry|set-apart';
  return /conflict/i.test(code) ? '--decision terminate|retry|set-apart' : '--set "Field=Value"';
}

function narrateSettled(record: LogRecord, context: NarratorContext): NarratedLine {
  const isFinal = record.event === 'batch-finished';
  const submitted = number(record, 'submitted');
  const setApart = number(record, 'setApart');
  const held = number(record, 'held');
  const skipped = number(record, 'skipped');
  const notTold = number(record, 'idsNotTold');
  const parts = [
    plural(submitted, 'revision') +
      (notTold > 0 ? ` (${notTold} without an id: it was lost with the answer)` : ''),
    ...(setApart > 0 ? [`${setApart} set apart`] : []),
    ...(held > 0 ? [`${held} held`] : []),
    ...(skipped > 0 ? [`${skipped} skipped: there already`] : []),
  ];
  const receipts = textsOf(record.receipts);
  // That of a part goes when its job has one for all of them, which is told by then.
  const lasting = isFinal ? receipts.filter(each => !/\/receipt-so-far[^/]*$/.test(each)) : receipts;
  const shown = lasting.filter(each => each.endsWith('.csv'));
  return line(
    setApart + held > 0 ? 'yellow' : 'green',
    isFinal ? 'finished' : 'so far',
    `batch ${text(record, 'batchId')}`,
    parts.join(', '),
    toReceiptHints(record, shown.length > 0 ? shown : lasting, context),
  );
}

function toReceiptHints(
  record: LogRecord,
  receipts: readonly string[],
  { folderOf }: NarratorContext,
): readonly string[] {
  const root = folderOf(text(record, 'share'));
  return receipts.map(each => `receipt: ${root === undefined ? each : `${root}/${each}`}`);
}

function narrateDependency(record: LogRecord, context: NarratorContext): NarratedLine {
  const subject = toDependencyText(text(record, 'dependency'), text(record, 'share'));
  if (record.event === 'dependency-back') {
    const waited = describeWaiting({
      batches: number(record, 'batches'),
      documents: number(record, 'documents'),
      others: number(record, 'others'),
    });
    const after = `after ${toDurationText(number(record, 'lastedMs'))}`;
    return line('green', 'back', subject, waited === '' ? after : `${after}; ${waited} waited and go on`);
  }
  const again = record.again === true ? 'again; ' : '';
  // Only Temporal could tell how much waits for it.
  const more = record.dependency === 'temporal' ? '' : `; how much waits: ${context.command} status`;
  return line('red', 'away', subject, `${again}${text(record, 'why')}`, [
    `what needs it waits and goes on by itself${more}`,
  ]);
}

function narrateSurroundings(record: LogRecord, context: NarratorContext): NarratedLine | undefined {
  const share = `share ${text(record, 'share')}`;
  const why = text(record, 'why');
  switch (record.event) {
    case 'share-away':
      return line('red', 'away', share, `${why.replace(/\.$/, '')}; waiting for it`);
    case 'share-back':
      return line('green', 'back', share, '');
    case 'share-hung':
      return line(
        'red',
        'hangs',
        share,
        'its mount does not answer; its work is left to other hosts meanwhile',
      );
    case 'share-answers':
      return line('green', 'answers', share, '');
    case 'share-refuses':
      return line('red', 'refuses', share, `${why}; files stay in the drop folder`);
    case 'share-accepts':
      return line('green', 'accepts', share, '');
    case 'share-unusable':
      return line(
        'red',
        'unusable',
        share,
        'it cannot be used yet; trying again',
        linesOf(errorText(record)),
      );
    case 'dependency-away':
    case 'dependency-back':
      return narrateDependency(record, context);
    case 'temporal-away':
      return line('red', 'away', 'Temporal', why);
    case 'temporal-back':
      return line('green', 'back', 'Temporal', '');
    case 'doorbell-trouble':
      return line('dim', 'scanning', share, `changes are not announced (${why}); the regular scan goes on`);
    default:
      return undefined;
  }
}

function line(
  colour: Colour | undefined,
  verb: string,
  subject: string,
  detail: string,
  hints: readonly string[] = [],
): NarratedLine {
  return { colour, verb, subject, detail, hints };
}

function text(record: LogRecord, key: string): string {
  const value = record[key];
  return typeof value === 'string' ? value : '';
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(each => typeof each === 'string') : [];
}

function number(record: LogRecord, key: string): number {
  const value = record[key];
  return typeof value === 'number' ? value : 0;
}

function reasonOf(record: LogRecord): { code: string; text: string; fix: string } {
  const reason = record.reason;
  if (typeof reason !== 'object' || reason === null)
    return { code: '', text: text(record, 'reason'), fix: '' };
  const fields = reason as LogRecord;
  return { code: text(fields, 'code'), text: text(fields, 'text'), fix: text(fields, 'fix') };
}

function errorText(record: LogRecord): string {
  const error = record.error;
  return typeof error === 'object' && error !== null ? text(error as LogRecord, 'message') : '';
}

/** Of a list of faults each on a line of its own, for a terminal shows no line ends of others. */
function linesOf(words: string): readonly string[] {
  return words.split('\n').map(each => each.trim());
}

function plural(count: number, word: string, words = `${word}s`): string {
  return `${count} ${count === 1 ? word : words}`;
}

function quote(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}
