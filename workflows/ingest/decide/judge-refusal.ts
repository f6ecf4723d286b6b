// What a refusal of Step 8 means for a document (specification, Errors: Step 8), and what people read about it.
import type { Reason } from '../../contract';

/** One element of `details` of a refused request, or of `failures` of an accepted one. */
export interface Refusal {
  readonly reasonCode: string;
  readonly message: string;
  /** The upload it is about, when the service says so. */
  readonly uploadId?: string;
}

export type Verdict =
  /** Read the upload again (fresh event id, requirement re-checked), then submit again. */
  | 'read-again'
  /** The file is sent and linked anew, then submitted again. */
  | 'send-file-again'
  /** The upload is gone: look, then decide by what we recorded. */
  | 'look'
  /** The conflict policy decides. */
  | 'conflict'
  /** Only a person with more rights can end the workflows in the way. */
  | 'conflict-for-a-person'
  /** Nothing of the batch can be submitted until somebody grants a right. */
  | 'project-blocked'
  /** This document ends here. */
  | 'set-apart';

/** Characters of the service's own words that a receipt repeats. */
const MOST_OF_A_MESSAGE = 300;

const VERDICTS: Readonly<Record<string, Verdict>> = {
  CONCURRENCY_CONFLICT: 'read-again',
  UNKNOWN_FAILURE: 'read-again',
  INVALID_INPUT: 'read-again',
  FILE_KEY_MISMATCH: 'send-file-again',
  UPLOAD_NOT_FOUND: 'look',
  WORKFLOW_CONFLICT: 'conflict',
  WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION: 'conflict-for-a-person',
  PERMISSION_DENIED: 'project-blocked',
  ACCESS_DENIED: 'project-blocked',
  DUPLICATE_REVISION: 'set-apart',
  INVALID_PROPERTY: 'set-apart',
};

/**
 * Whether a document that an accepted request names as failed may have been submitted all the same: where the service
 * does not know what happened, or says something that we do not know.
 */
export function mayHaveTakenEffect(reasonCode: string): boolean {
  return reasonCode === 'UNKNOWN_FAILURE' || ownOf(VERDICTS, reasonCode) === undefined;
}

/** Unknown codes set the document apart with the service's own words; they never count as success. */
export function judgeRefusal(reasonCode: string): Verdict {
  return ownOf(VERDICTS, reasonCode) ?? 'set-apart';
}

/** The reason a document controller reads. */
export function explainRefusal(refusal: Refusal): Reason {
  const known = ownOf(EXPLANATIONS, refusal.reasonCode);
  if (known !== undefined) return { code: refusal.reasonCode, ...known };
  const words = [...(refusal.message || refusal.reasonCode)].slice(0, MOST_OF_A_MESSAGE).join('');
  return {
    code: refusal.reasonCode,
    text: `The service refused the document: ${words}`,
    fix: 'Correct what the message names and drop the file again, or ask the project’s administrator.',
  };
}

/** Why a document is set apart of which a submission may have been heard: nobody is told to send it again. */
export function explainInDoubt(reason: Reason): Reason {
  return {
    code: 'perhaps-submitted',
    text: `${reason.text} Drawbridge had submitted it before and was not told what became of that.`,
    fix: 'Look for it in the service: where a revision of it is there, nothing is left to do. Only where there is none, issue it anew.',
  };
}

/** A code comes from outside; "constructor" is no entry of ours. */
function ownOf<Entry>(table: Readonly<Record<string, Entry>>, code: string): Entry | undefined {
  return Object.hasOwn(table, code) ? table[code] : undefined;
}

const EXPLANATIONS = {
  DUPLICATE_REVISION: {
    text: 'The service already has this revision of the document, and the project allows each revision once.',
    fix: 'If this is a newer issue, give it the next revision and drop it again; otherwise nothing is left to do.',
  },
  WORKFLOW_CONFLICT: {
    text: 'Earlier revisions of this document have a workflow that is still running.',
    fix: 'Answer the held document: end those workflows, or try again once they are finished.',
  },
  WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION: {
    text: 'Earlier revisions of this document have a running workflow that Drawbridge may not end.',
    fix: 'Ask a project administrator or the workflow’s manager to finish or end it, then let the document try again.',
  },
  UPLOAD_NOT_FOUND: {
    text: 'The service says that it does not have this document, and yet still shows it.',
    fix: 'Look for it in the service; if it is not there, drop the file again.',
  },
  INVALID_INPUT: {
    text: 'The service says that required values are missing.',
    fix: 'Give the values the project requires and drop the file again.',
  },
  INVALID_PROPERTY: {
    text: 'The service refused one of the values of this document.',
    fix: 'Check the values against the project’s lists and drop the file again.',
  },
  FILE_KEY_MISMATCH: {
    text: 'The service cannot find the file that belongs to this document, although it was sent more than once.',
    fix: 'Drop the file again later; if it happens again, ask the service’s support.',
  },
  CONCURRENCY_CONFLICT: {
    text: 'Somebody or something kept changing this document in the service while it was being submitted.',
    fix: 'Drop the file again when nobody edits it.',
  },
  UNKNOWN_FAILURE: {
    text: 'The service failed on this document several times without saying why.',
    fix: 'Drop the file again later; if it happens again, ask the service’s support.',
  },
  'taken-by-a-person': {
    text: 'The service does not have this document any more: somebody deleted or submitted it there while Drawbridge was at work on it.',
    fix: 'Look for it in the service; if it is not there, drop the file again.',
  },
  'perhaps-taken': {
    text: 'The service no longer knows the upload of this document. It may have been complete before we were told, and somebody may have submitted or deleted it.',
    fix: 'Look for it in the service; if it is not there, drop the file again.',
  },
  'comes-and-goes': {
    text: 'The service shows this document and then does not, again and again, so it could not be submitted.',
    fix: 'Look for it in the service; if it is not there, drop the file again later.',
  },
  'not-carried': {
    text: 'Drawbridge could not bring this document to an end.',
    fix: 'Look for it in the service; if it is not there, drop the file again.',
  },
  'name-mismatch': {
    text: 'The service stored this document under another file’s name, so it was not submitted.',
    fix: 'Drop the file again.',
  },
  'event-id-missing': {
    text: 'The service did not say in which state this document is, so it cannot be submitted.',
    fix: 'Drop the file again later; if it happens again, ask the service’s support.',
  },
  'link-failed': {
    text: 'The service did not confirm the file of this document, although it was sent several times.',
    fix: 'Drop the file again later; if it happens again, ask the service’s support.',
  },
  'hold-expired': {
    text: 'The document waited for an answer for as long as the share allows.',
    fix: 'Decide what should happen to it and drop the file again.',
  },
  'set-apart-by-person': {
    text: 'A person decided to set this document apart.',
    fix: 'Nothing, unless that has changed.',
  },
} as const satisfies Readonly<Record<string, { readonly text: string; readonly fix: string }>>;

/** The reasons that are explained here: ours, and those of the service that are known by name. */
export type ExplainedReason = keyof typeof EXPLANATIONS;
