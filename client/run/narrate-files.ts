// What the live view says of files: those that wait in the drop folder, those on their way, and the receipts
// that tell what became of them.
import type { LogRecord } from '../../workers/logging';
import { toDurationText } from '../session/terminal-text';
import {
  line,
  type NarratedLine,
  type NarratorContext,
  number,
  plural,
  reasonOf,
  text,
  textsOf,
} from './narrated-line';

export function narrateWaiting(record: LogRecord, path: string): NarratedLine {
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

export function narrateLeft(record: LogRecord, path: string): NarratedLine {
  const named = textsOf(record.named);
  const more = number(record, 'files') - named.length;
  const files = plural(number(record, 'files'), 'file');
  return line('yellow', 'left', path, `${files} that no register lists; they stay in the drop folder`, [
    `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    'they go when a register that lists them is dropped into the folder',
  ]);
}

export function narrateDocument(record: LogRecord, context: NarratorContext): NarratedLine | undefined {
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

export function narrateSettled(record: LogRecord, context: NarratorContext): NarratedLine {
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
  // A receipt-so-far goes when its job has a receipt for all its batches, which is told then.
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

export function toReceiptHints(
  record: LogRecord,
  receipts: readonly string[],
  { folderOf }: NarratorContext,
): readonly string[] {
  const root = folderOf(text(record, 'share'));
  return receipts.map(each => `receipt: ${root === undefined ? each : `${root}/${each}`}`);
}

function quote(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}
