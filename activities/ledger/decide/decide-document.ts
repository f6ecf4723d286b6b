// Whether one document is sent, left out as it is there already, or held for a person, by what the ledger
// shows. Pure, so that a test run decides as the run itself does.
import type { Reason } from '../../../workflows/contract';
import { compareParsed, parseRevision } from '../../../workflows/revision-order/decide/compare-revisions';
import type { DuplicateRules } from '../../share/share-config';
import {
  type Candidate,
  type Earlier,
  isNameAgreed,
  isNamedAlike,
  isSameFile,
  type Known,
} from './candidate';
import type { DoubtCode } from './duplicate-rules';
import { explainStop, type Stop } from './explain-stop';
import { findPresent, withoutOthers } from './find-present';

/** A document that is not sent: it need not be (`skip`), or is not to be until a person says so (`hold`). */
export interface Stopped {
  readonly kind: 'skip' | 'hold';
  readonly reason: Reason & { readonly code: DoubtCode };
}

/** @returns undefined when the document is to be sent. */
export function decideDocument(
  candidate: Candidate,
  known: Known,
  rules: DuplicateRules,
): Stopped | undefined {
  const present = findPresent(candidate, known.revisions);
  if (present !== undefined && rules.sameFile !== 'send') {
    return {
      kind: rules.sameFile,
      reason: explainStop(candidate, { code: 'already-there', present, isHeld: rules.sameFile === 'hold' }),
    };
  }
  const stop = findStop(candidate, known, rules);
  return stop && { kind: 'hold', reason: explainStop(candidate, stop) };
}

function findStop(candidate: Candidate, known: Known, rules: DuplicateRules): Stop | undefined {
  const revisions = withoutOthers(candidate, known.revisions);
  const [newest] = revisions;
  if (rules.mode === 'new-only' && newest !== undefined) return { code: 'not-new', present: newest };
  if (rules.mode === 'supersede-only' && newest === undefined) return { code: 'not-there' };
  const other = rules.sameBytes === 'send' ? undefined : findOtherName(candidate, known.sameBytes);
  if (other !== undefined) return { code: 'same-bytes', other };
  const later = rules.earlier === 'send' ? undefined : findLater(candidate, revisions);
  return later && { code: 'later-there', later };
}

/**
 * A document of the same bytes under another name. None if these bytes were sent under the candidate's own
 * name as well: then both names are known to be meant.
 */
function findOtherName(candidate: Candidate, sameBytes: readonly Earlier[]): Earlier | undefined {
  if (sameBytes.some(one => isMeantBeside(candidate, one))) return undefined;
  return sameBytes[0];
}

/**
 * Of two files of one name that say how their documents are called, each is meant. One that says nothing may
 * be the same document.
 */
function isMeantBeside(candidate: Candidate, one: Earlier): boolean {
  const isEachSaid = candidate.isNameSaid !== true || one.said.name !== undefined;
  return isEachSaid ? isNamedAlike(candidate, one) : isNameAgreed(candidate, one);
}

/**
 * A revision in the ledger that comes after the candidate. Where revisions say nothing, or the same, it is
 * the present one if the candidate's very file was sent before it. Documents of the candidate's own batch do
 * not count: they are put in order before they are sent.
 */
function findLater(candidate: Candidate, revisions: readonly Earlier[]): Earlier | undefined {
  const [present, ...former] = revisions.filter(({ batchId }) => batchId !== candidate.batchId);
  if (present === undefined) return undefined;
  const own = parseRevision(candidate.revision);
  // Decided by the newest revision that can be compared with the candidate's.
  let isNewer: boolean | undefined;
  for (const one of [present, ...former]) {
    const theirs = parseRevision(one.revision ?? one.said.revision ?? undefined);
    if (own === undefined || theirs?.scheme !== own.scheme) continue;
    if (compareParsed(own, theirs) < 0) return one;
    isNewer ??= compareParsed(own, theirs) > 0;
  }
  if (isNewer === true || present.sha256 === candidate.sha256) return undefined;
  return former.some(one => isSameFile(candidate, one)) ? present : undefined;
}
