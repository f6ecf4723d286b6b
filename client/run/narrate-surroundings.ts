// What the live view says of shares, and of what Drawbridge depends on.
import { OTHER_KEY_ADVICE } from '../../activities/share/claim/open-batches';
import type { LogRecord } from '../../workers/logging';
import { toDurationText } from '../session/terminal-text';
import { describeWaiting, toDependencyText } from '../status/incident-text';
import { line, type NarratedLine, type NarratorContext, number, plural, text, whoOf } from './narrated-line';

export function narrateSurroundings(record: LogRecord, context: NarratorContext): NarratedLine | undefined {
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
    case 'watched-elsewhere':
      return line('yellow', 'watched', share, `by another Temporal: ${whoOf(record)}`, [
        'what is dropped is claimed and carried by that one: look there; nothing is claimed or started here',
        `once it has stood still for ${toDurationText(number(record, 'takeOverMs'))}, this one goes on by itself`,
        `if it is gone for good, at once: ${context.command} resume --take-over`,
      ]);
    case 'watch-taken':
      return line('green', 'watched', share, 'by this Temporal now');
    case 'mark-not-ours':
      return line('yellow', 'ignored', share, text(record, 'file'), [
        text(record, 'why'),
        'If nobody but Drawbridge writes there, it was torn by a crash or is from before the share’s key was changed, and is written anew.',
      ]);
    case 'chore-failed':
      return line('yellow', 'waits', share, `${text(record, 'chore')}: ${why}`);
    case 'template-left':
      return line('yellow', 'left', share, `${text(record, 'file')}: ${text(record, 'why')}`);
    case 'batches-not-ours':
      return line(
        'yellow',
        'ignored',
        share,
        `${plural(number(record, 'folders'), 'folder')} in .drawbridge/batches that Drawbridge did not make`,
        ['Whoever can write to the share may have put them there. They are left as they lie; see status.'],
      );
    case 'batches-other-key':
      return line(
        'yellow',
        'ignored',
        share,
        `${plural(number(record, 'folders'), 'folder')} in .drawbridge/batches sealed with another key than this host has`,
        [text(record, 'why'), OTHER_KEY_ADVICE],
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

function errorText(record: LogRecord): string {
  const error = record.error;
  return typeof error === 'object' && error !== null ? text(error as LogRecord, 'message') : '';
}

/** Of a list of faults each on a line of its own, for a terminal shows no line ends of others. */
function linesOf(words: string): readonly string[] {
  return words.split('\n').map(each => each.trim());
}
