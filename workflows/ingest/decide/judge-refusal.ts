// What a refusal of Step 8 means for a document (specification, Errors: Step 8), and what people read about
// it.
import type { Reason } from '../../contract';
import { describeRefusals } from '../../run/decide/describe-refusals';

/** The reason codes that the specification names. The service may say others; those have a default. */
export type ServiceReasonCode =
  | 'INVALID_TOKEN'
  | 'ACCESS_DENIED'
  | 'PERMISSION_DENIED'
  | 'INTERNAL_ERROR'
  | 'INVALID_PROPERTY'
  | 'INVALID_INPUT'
  | 'NOT_FOUND'
  | 'UPLOAD_NOT_FOUND'
  | 'FILE_KEY_MISMATCH'
  | 'DUPLICATE_REVISION'
  | 'WORKFLOW_CONFLICT'
  | 'WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION'
  | 'CONCURRENCY_CONFLICT'
  | 'UNKNOWN_FAILURE';

/** One element of `details` of a refused request, or of `failures` of an accepted one. */
export interface Refusal {
  /** A `ServiceReasonCode`, or whatever else the service said. */
  readonly reasonCode: string;
  readonly message: string;
  /** The upload it is about, when the service says so. */
  readonly uploadId?: string;
  /** The field it is about, as people know it. Absent where the service names none. */
  readonly field?: string;
  /** Of a conflict, in people's words: the reviews that the service names. Absent where it names none. */
  readonly inTheWay?: string;
  /** By this the reviews that it names are known again. Absent where the service does not say which. */
  readonly reviews?: string;
  /** When the service named them, Unix ms by Temporal's clock. */
  readonly namedAtMs?: number;
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
  /** This document ends here. */
  | 'set-apart';

/** Values were refused, and the service did not say why. */
export const REFUSED_WITHOUT_REASON: Refusal = {
  reasonCode: 'INVALID_PROPERTY' satisfies ServiceReasonCode,
  message: '',
};

/** Characters of the service's own words that a receipt repeats. */
const MOST_OF_A_MESSAGE = 300;

/**
 * Whether a document that an accepted request names as failed may have been submitted all the same: where the
 * service does not know what happened, or says something that no submission is refused with.
 */
export function mayHaveTakenEffect(reasonCode: string): boolean {
  const meaning = meaningOf(reasonCode);
  return meaning === undefined || meaning.mayHaveTakenEffect === true;
}

/**
 * Whether the service names a failure of its own, which an outage brings to every document alike, rather than
 * something about the document.
 */
export function isOwnFailure(reasonCode: string): boolean {
  return reasonCode === 'UNKNOWN_FAILURE' || reasonCode === 'INTERNAL_ERROR';
}

/** Unknown codes set the document apart with the service's own words; they never count as success. */
export function judgeRefusal(reasonCode: string): Verdict {
  return meaningOf(reasonCode)?.verdict ?? 'set-apart';
}

/** The reason a document controller reads. */
export function explainRefusal(refusal: Refusal): Reason {
  const { field, inTheWay } = refusal;
  const words = meaningOf(refusal.reasonCode)?.words;
  if (words !== undefined) {
    const named = field === undefined ? [] : [`The service names the field "${field}".`];
    const text = [words.text, ...named, ...(inTheWay === undefined ? [] : [inTheWay])].join(' ');
    return { code: refusal.reasonCode, ...words, text };
  }
  const [told = ''] = describeRefusals([{ message: refusal.message || refusal.reasonCode, property: field }]);
  const said = [...told].slice(0, MOST_OF_A_MESSAGE).join('');
  return {
    code: refusal.reasonCode,
    text: `The service refused the document: ${said}`,
    fix: 'Correct what the message names and drop the file again, or ask the project’s administrator.',
  };
}

/** Why a person's word ended nothing: it stands before the question that is asked now. */
const UNENDED = {
  others: { text: 'Nothing was ended: what runs now is not what it was agreed to end.' },
  'not-named': {
    text: 'Nothing was ended: the service does not say which workflows run, and others could end with them.',
    fix: 'End them in the service, then let the document try again.',
  },
  'not-known': { text: 'Nothing was ended: it is not known which workflows were shown before.' },
  'not-in-time': {
    text: 'Nothing was ended: each time, the request came too late after the service had said what runs.',
  },
} as const;

/** The conflict is asked about again, though a person has agreed to end one. */
export function explainUnended(why: keyof typeof UNENDED, refusal: Refusal): Reason {
  const asked = explainRefusal(refusal);
  return { ...asked, ...UNENDED[why], text: `${UNENDED[why].text} ${asked.text}` };
}

/** The reason where a document was tried so often that the service's failure is not waited out any more. */
export function explainUnknownFailure(): Reason {
  return explainRefusal({ reasonCode: 'UNKNOWN_FAILURE' satisfies ServiceReasonCode, message: '' });
}

/** A code comes from outside; "constructor" is no entry of ours. */
function meaningOf(code: string): Meaning | undefined {
  return Object.hasOwn(MEANINGS, code) ? MEANINGS[code as ServiceReasonCode] : undefined;
}

interface Meaning {
  readonly verdict: Verdict;
  readonly mayHaveTakenEffect?: true;
  /** In place of the service's own. */
  readonly words?: { readonly text: string; readonly fix: string };
}

/**
 * Total: a code that the service is known to say and that is not judged here does not compile (`toRefusal` in
 * activities/ingest/documents.ts).
 */
const MEANINGS: Readonly<Record<ServiceReasonCode, Meaning>> = {
  CONCURRENCY_CONFLICT: {
    verdict: 'read-again',
    words: {
      text: 'Somebody or something kept changing this document in the service while it was being submitted.',
      fix: 'Drop the file again when nobody edits it.',
    },
  },
  UNKNOWN_FAILURE: {
    verdict: 'read-again',
    mayHaveTakenEffect: true,
    words: {
      text: 'The service failed on this document several times without saying why.',
      fix: 'Drop the file again later; if it happens again, ask the service’s support.',
    },
  },
  INVALID_INPUT: {
    verdict: 'read-again',
    words: {
      text: 'The service says that required values are missing.',
      fix: 'Give the values the project requires and drop the file again.',
    },
  },
  FILE_KEY_MISMATCH: {
    verdict: 'send-file-again',
    words: {
      text: 'The service cannot find the file that belongs to this document, although it was sent more than once.',
      fix: 'Drop the file again later; if it happens again, ask the service’s support.',
    },
  },
  UPLOAD_NOT_FOUND: {
    verdict: 'look',
    words: {
      text: 'The service says that it does not have this document, and yet still shows it.',
      fix: 'Look for it in the service; if it is not there, drop the file again.',
    },
  },
  WORKFLOW_CONFLICT: {
    verdict: 'conflict',
    words: {
      text: 'Earlier revisions of this document have a workflow that is still running.',
      fix: 'Answer the held document: end those workflows, or try again once they are finished.',
    },
  },
  WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION: {
    verdict: 'conflict-for-a-person',
    words: {
      text: 'Earlier revisions of this document have a running workflow that Drawbridge may not end.',
      fix: 'Ask a project administrator or the workflow’s manager to finish or end it, then let the document try again.',
    },
  },
  DUPLICATE_REVISION: {
    verdict: 'set-apart',
    words: {
      text: 'The service already has this revision of the document, and the project allows each revision once.',
      fix: 'If this is a newer issue, give it the next revision and drop it again; otherwise nothing is left to do.',
    },
  },
  INVALID_PROPERTY: {
    verdict: 'set-apart',
    words: {
      text: 'The service refused one of the values of this document.',
      fix: 'Check the values against the project’s lists and drop the file again.',
    },
  },
  // A request that is denied as a whole fails as ACCESS_DENIED, and the batch waits for the right. Named for
  // one document among others that were taken, it is about that document.
  ACCESS_DENIED: { verdict: 'set-apart' },
  PERMISSION_DENIED: { verdict: 'set-apart' },
  // Of whole requests, never of one document of a submission.
  INVALID_TOKEN: { verdict: 'set-apart', mayHaveTakenEffect: true },
  INTERNAL_ERROR: { verdict: 'set-apart', mayHaveTakenEffect: true },
  NOT_FOUND: { verdict: 'set-apart', mayHaveTakenEffect: true },
};
