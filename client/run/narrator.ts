// The live view of `run`: turns log records that carry an `event` into lines for people, one for each thing
// that happens to a file, and nothing for requests and other machinery.
import type { LogRecord } from '../../workers/logging';
import { type Paint, toShellWord, toSizeText, toVisible } from '../session/terminal-text';
import {
  narrateDocument,
  narrateLeft,
  narrateSettled,
  narrateWaiting,
  toReceiptHints,
} from './narrate-files';
import { narrateSurroundings } from './narrate-surroundings';
import {
  line,
  type NarratedLine,
  type NarratorContext,
  number,
  plural,
  reasonOf,
  text,
  textsOf,
  whoOf,
} from './narrated-line';

const PATH_WIDTH = 60;

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
    case 'batch-of-former-name': {
      const name = text(record, 'formerName');
      return line('yellow', 'waits', `batch ${batch}`, `was begun while this share was called ${name}`, [
        'give it that name back until the batch has ended',
      ]);
    }
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
    case 'job-damaged':
      return line('yellow', 'waits', text(record, 'job'), text(record, 'why'));
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
