// Whether every reason that the plan of a document gives is known to the table that says what may be sent
// again: the share, which has it, knows nothing of plans. Nothing here runs: `npm run check` compiles it.
import type { ValueProblem } from '../../activities/ingest/decide/explain-value';
import type { EntryProblem } from '../../activities/ingest/decide/read-entry';
import type { KnownReason } from '../../activities/share/receipt/corrected/set-apart-safety';

export function everyReasonIsKnown(code: ValueProblem['code'] | EntryProblem): KnownReason {
  return code;
}
