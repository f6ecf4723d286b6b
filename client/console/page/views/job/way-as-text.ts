// The way of a document as text, for a message to somebody. Pure.
import type { RowDetail } from '../../../contract/jobs';
import { type Reader, tellClock } from '../../shell/format';
import { texts } from '../../shell/texts';
import { labelOf } from './shown-rows';

/** Each time as ISO 8601 in UTC, with the clock of the reader's zone behind it. */
export function wayAsText(detail: RowDetail, reader: Reader): string {
  const words = texts.job.panel;
  const lines = detail.way.map(({ at, text, detail: more, hasHappened }) => {
    const time = at === null ? '' : `${hasHappened ? '' : words.by}${at} (${tellClock(at, reader)})`;
    return [time, hasHappened ? text : words.ahead(text), more].filter(Boolean).join('  ');
  });
  return [`${labelOf(detail)} ${detail.revision ?? ''}`.trim(), ...lines].join('\n');
}
