// What a rule of the judge is: it is given the evidence and how the case is
// judged, and names what does not hold.
import type { Remark } from '../sandbox/operation-log';
import type { ShareValues } from './foretold-values';
import type { DocumentIndex } from './judge-documents';
import type { Evidence } from './judge-evidence';

/** A process that was killed, or stood still, while the service went on; Unix milliseconds. */
export interface Interruption {
  readonly kind: 'killed' | 'frozen';
  readonly from: number;
  /** When it was gone for certain, or went on. */
  readonly until: number;
}

export interface Judgement {
  /**
   * `underway`: nothing lost, doubled, overwritten or mispaired so far.
   * `at-rest`: everything has ended as well.
   */
  readonly mode: 'underway' | 'at-rest';
  /** Which case, for whoever runs it again. */
  readonly case: string;
  /**
   * When processes were killed or stood still: what the service said in that
   * moment was perhaps read by nobody.
   */
  readonly interruptions?: readonly Interruption[];
  /**
   * Somebody goes on in this case who has not heard yet that the batch was taken from him: what he makes
   * then, nobody may ever see. Uploads that stay INCOMPLETE are no second ones.
   */
  readonly hasUnaware?: boolean;
  /** At most so many requests in all (invariant 16); or any number, and why no bound can be told. */
  readonly mostRequests: number | { readonly any: string };
  /** Remarks of the stand-in that what was done to this case gives reason for. Default none. */
  readonly excused?: readonly Remark[];
  /** The project that everything was dropped for; no part has several. */
  readonly projectId: string;
  /** By what every field of a revision is foretold. */
  readonly values: ShareValues;
}

/** What a rule has found, without the case. */
export type Finding = string;

export interface Rule {
  /** Number and short name of the invariant. */
  readonly invariant: string;
  /** Rules that hold only when everything has ended. */
  readonly onlyAtRest?: boolean;
  find(evidence: Evidence, documents: DocumentIndex, judgement: Judgement): readonly Finding[];
}
