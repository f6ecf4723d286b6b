// Why a document is not sent, in the words of those who read it, and what lets it go.
import type { Reason } from '../../../workflows/contract';
import { type Candidate, type Earlier, fileNameOf } from './candidate';

/** What stops a document, with the other one that it is about. */
export type Stop =
  | { readonly code: 'already-there'; readonly present: Earlier; readonly isHeld?: boolean }
  | { readonly code: 'same-bytes'; readonly other: Earlier }
  | { readonly code: 'same-bytes-in-job'; readonly others: readonly Candidate[] }
  | { readonly code: 'no-order'; readonly others: readonly Candidate[] }
  | { readonly code: 'later-there'; readonly later: Earlier }
  | { readonly code: 'not-new'; readonly present: Earlier }
  | { readonly code: 'not-there' };

/** Names that a sentence lists; further ones are only counted. */
const MOST_NAMED = 3;
const SEND =
  'answer with the decision "retry" (to say so beforehand: "send" in the column Action of its register)';

/** @param timeZone for the days in sentences; the host's when absent. */
export function explainStop(
  candidate: Candidate,
  stop: Stop,
  timeZone?: string,
): Reason & Pick<Stop, 'code'> {
  return { code: stop.code, ...describe(candidate, stop, timeZone) };
}

function describe(
  candidate: Candidate,
  stop: Stop,
  timeZone: string | undefined,
): { readonly text: string; readonly fix: string } {
  switch (stop.code) {
    case 'already-there': {
      const text = `This very file was sent before, and nothing newer of its document since then: ${describeRevision(stop.present, timeZone)}.`;
      if (stop.isHeld === true)
        return { text, fix: `If it is to become a revision once more, ${SEND}; else set it apart.` };
      return {
        text: `${text} Nothing was sent.`,
        fix: 'Nothing. If it is to become a revision once more (somebody may have removed it in the service), write "send" into the column Action of its register and drop both again, or ask for "duplicates": {"sameFile": "send"} in the settings of the share.',
      };
    }
    case 'same-bytes':
      return {
        text: `The same file was sent as "${fileNameOf(stop.other.path)}" on ${dayOf(stop.other, timeZone)} (${revisionOf(stop.other)} in ${placeOf(stop.other)}${idOf(stop.other)}).`,
        fix: `If this is the wrong file, set it apart and drop the right one. If both are meant, ${SEND}.`,
      };
    case 'same-bytes-in-job':
      return {
        text: `This file is the same, byte for byte, as ${list(stop.others)}, and both are to be documents of their own.`,
        fix: `If one of them is the wrong file, set it apart and drop the right one. If all are meant, ${SEND}.`,
      };
    case 'no-order':
      return {
        text: `${list(stop.others)} ${stop.others.length === 1 ? 'is' : 'are'} of the same document as this file, and no revision says which of them comes first.`,
        fix: `Set apart what is too much. If each is to become a revision, in the order of their rows (without a register: in which they were last written), ${SEND}.`,
      };
    case 'later-there':
      return {
        text: `A later revision is there already: ${describeRevision(stop.later, timeZone)}. Sent now, ${candidate.revision === undefined ? 'this file' : `revision ${candidate.revision}`} would supersede it.`,
        fix: `If it is an old file, set it apart. If it is meant to supersede, ${SEND}.`,
      };
    case 'not-new':
      return {
        text: `Only new documents are to be sent, and this one is there: ${describeRevision(stop.present, timeZone)}.`,
        fix: `If it is to supersede that revision, ${SEND}; else set it apart.`,
      };
    case 'not-there':
      return {
        text: 'It is to supersede a document, and none of its name or Number was sent from here before.',
        fix: `See whether its name and its Number are right. If it is new, or the document came into the service in another way, ${SEND}.`,
      };
  }
}

/** Revision P02 of "A-101" (sent on 3 May 2026 in "TR-0142", revision id R1). */
function describeRevision(one: Earlier, timeZone: string | undefined): string {
  return `${revisionOf(one)} (sent on ${dayOf(one, timeZone)} in ${placeOf(one)}${idOf(one)})`;
}

function revisionOf({ revision, number, name }: Earlier): string {
  return revision === null ? `"${name}"` : `revision ${revision} of "${number ?? name}"`;
}

function placeOf({ job, batchId }: Earlier): string {
  return job === null ? `batch ${batchId}` : `"${job.name}"`;
}

function idOf({ revisionId }: Earlier): string {
  return revisionId === null ? '' : `, revision id ${revisionId}`;
}

function dayOf({ submittedAtMs }: Earlier, timeZone: string | undefined): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone }).format(submittedAtMs);
}

function list(others: readonly Candidate[]): string {
  const names = others.slice(0, MOST_NAMED).map(({ path }) => `"${path}"`);
  const more = others.length - names.length;
  if (more > 0) return `${names.join(', ')} and ${more} more`;
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}
