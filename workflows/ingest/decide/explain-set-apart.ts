// Why a run sets a document apart by itself, in the words that people read. What the service refuses is in
// judge-refusal.ts.
import type { Reason } from '../../contract';

/**
 * Reasons of ours, as receipts carry them; set-apart-safety.ts sorts them. None is ever renamed.
 */
export type SetApartReason =
  | 'taken-by-a-person'
  | 'perhaps-taken'
  | 'comes-and-goes'
  | 'not-carried'
  | 'name-mismatch'
  | 'event-id-missing'
  | 'link-failed'
  | 'values-unconfirmed'
  | 'values-changed'
  | 'hold-expired'
  | 'set-apart-by-person';

/** The reason a document controller reads. */
export function explainSetApart(code: SetApartReason): Reason {
  return { code, ...EXPLANATIONS[code] };
}

/** Why a document is set apart of which a submission may have been heard: nobody is told to send it again. */
export function explainInDoubt(reason: Reason): Reason {
  return {
    code: 'perhaps-submitted',
    text: `${reason.text} Drawbridge had submitted it before and was not told what became of that.`,
    fix: 'Look for it in the service: where a revision of it is there, nothing is left to do. Only where there is none, issue it anew.',
  };
}

const EXPLANATIONS: Readonly<Record<SetApartReason, { readonly text: string; readonly fix: string }>> = {
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
  'values-unconfirmed': {
    text: 'The service did not confirm the values of this document, although they were written several times.',
    fix: 'Drop the file again later; if it happens again, ask the service’s support.',
  },
  'values-changed': {
    text: 'The values that were answered may have been written, and the service shows others by now: somebody may have given them since.',
    fix: 'Look at the document in the service, and answer with the values that it is to have.',
  },
  'hold-expired': {
    text: 'The document waited for an answer for as long as the share allows.',
    fix: 'Decide what should happen to it and drop the file again.',
  },
  'set-apart-by-person': {
    text: 'A person decided to set this document apart.',
    fix: 'Nothing, unless that has changed.',
  },
};
