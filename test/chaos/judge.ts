// The judge of every chaos case: reads the evidence and names each invariant that does not hold. It believes neither the
// product nor the test that caused the trouble, only the stand-in's log and what lies on the share.
import { DocumentIndex } from './judge-documents';
import type { Evidence } from './judge-evidence';
import { CONTENT_RULES } from './judge-rules-content';
import { END_RULES } from './judge-rules-end';
import { IMPATIENCE_RULES, type Interruption } from './judge-rules-impatience';
import { SERVICE_RULES } from './judge-rules-service';
import { SHARE_RULES } from './judge-rules-share';
import type { Violation } from './part';

export interface Judgement {
  /** `underway`: nothing lost, doubled, overwritten or mispaired so far. `at-rest`: everything has ended as well. */
  readonly mode: 'underway' | 'at-rest';
  /** Which case, for whoever runs it again. */
  readonly case: string;
  /** When processes were killed or stood still: what the service said in that moment was perhaps read by nobody. */
  readonly interruptions?: readonly Interruption[];
  /**
   * Somebody goes on in this case who has not heard yet that the batch was taken from him: what he makes then, nobody may
   * ever see. Uploads that stay INCOMPLETE are no second ones.
   */
  readonly hasUnaware?: boolean;
  /** At most so many requests in all (invariant 16); not looked at when absent. */
  readonly mostRequests?: number;
  /** The project that everything was dropped for. */
  readonly projectId?: string;
  /** By field name: the values, as people read them, that a revision may have; what people wrote themselves is let be. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
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

const RULES: readonly Rule[] = [
  ...SHARE_RULES,
  ...SERVICE_RULES,
  ...IMPATIENCE_RULES,
  ...CONTENT_RULES,
  ...END_RULES,
];

/** Pure. The same finding is named once. */
export function judge(evidence: Evidence, judgement: Judgement): Violation[] {
  const documents = new DocumentIndex(evidence.dropped);
  return RULES.filter(rule => judgement.mode === 'at-rest' || rule.onlyAtRest !== true).flatMap(rule =>
    [...new Set(rule.find(evidence, documents, judgement))].map(what => ({
      invariant: rule.invariant,
      case: judgement.case,
      what,
    })),
  );
}
