// Why a document is not sent, in the words of those who read the receipt, and what lets it go.
import type { Reason } from '../../../workflows/contract';
import type { Earlier } from './candidate';

export function explainPresent(present: Earlier, timeZone?: string): Reason {
  return {
    code: 'already-there',
    text: `This very file was sent before, and nothing newer of its document since then: ${describeRevision(present, timeZone)}. Nothing was sent.`,
    fix: 'Nothing. If it is to become a revision once more (somebody may have removed it in the service), write "send" into the column Action of its register and drop both again, or ask for "duplicates": {"sameFile": "send"} in the settings of the share.',
  };
}

/** Revision P02 of "A-101" (sent on 3 May 2026 in "TR-0142", revision id R1). */
function describeRevision(one: Earlier, timeZone: string | undefined): string {
  const which =
    one.revision === null ? `"${one.name}"` : `revision ${one.revision} of "${one.number ?? one.name}"`;
  const as = one.revisionId === null ? '' : `, revision id ${one.revisionId}`;
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone });
  const place = one.job === null ? `batch ${one.batchId}` : `"${one.job.name}"`;
  return `${which} (sent on ${format.format(one.submittedAtMs)} in ${place}${as})`;
}
