// The judge of every chaos case: reads the evidence and names each invariant that does not
// hold. It believes neither the product nor the test that caused the trouble, only the
// stand-in's log and what lies on the share.
import { DocumentIndex } from './judge-documents';
import type { Evidence } from './judge-evidence';
import type { Judgement, Rule } from './judge-rule';
import { CONTENT_RULES } from './judge-rules-content';
import { END_RULES } from './judge-rules-end';
import { IMPATIENCE_RULES } from './judge-rules-impatience';
import { ORDER_RULES } from './judge-rules-order';
import { REMARK_RULES } from './judge-rules-remarks';
import { SERVICE_RULES } from './judge-rules-service';
import { SHARE_RULES } from './judge-rules-share';
import type { Violation } from './part';

const RULES: readonly Rule[] = [
  ...SHARE_RULES,
  ...SERVICE_RULES,
  ...IMPATIENCE_RULES,
  ...REMARK_RULES,
  ...CONTENT_RULES,
  ...ORDER_RULES,
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
