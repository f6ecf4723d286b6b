// What a plan means for its document: whether it can be sent as it is, waits for somebody, or ends here. The
// batch goes by it, and a test run foretells by it. Pure.
import type { Reason } from '../../contract';
import { explainMissing } from './explain-missing';

/**
 * What the plan of one document says, in the words of its activity. `hopeless`: labels of required fields
 * that nothing in sight can fill.
 */
export interface Judged {
  readonly problems: readonly Reason[];
  readonly lacking?: { readonly reason: Reason; readonly missing: readonly string[] };
  readonly hopeless: readonly string[];
}

export type PlanVerdict =
  /** A value that can never be written. */
  | { readonly kind: 'impossible'; readonly reason: Reason }
  /**
   * Somebody has to say something first. `isUnread`: not all that was said of it could be read, so there is
   * no plan to go on by; an answer, or another look at the project's lists, is taken up by a new one.
   */
  | {
      readonly kind: 'lacks';
      readonly reason: Reason;
      readonly missing: readonly string[];
      readonly isUnread: boolean;
    }
  | { readonly kind: 'goes' };

export function judgePlan({ problems, lacking, hopeless }: Judged): PlanVerdict {
  if (problems.length > 0) return { kind: 'impossible', reason: joinReasons(problems) };
  if (lacking !== undefined) {
    const reasons = hopeless.length === 0 ? [] : [explainMissing(hopeless)];
    const reason = joinReasons([lacking.reason, ...reasons]);
    return { kind: 'lacks', reason, missing: [...lacking.missing, ...hopeless], isUnread: true };
  }
  if (hopeless.length === 0) return { kind: 'goes' };
  return { kind: 'lacks', reason: explainMissing(hopeless), missing: hopeless, isUnread: false };
}

/** Several things may be wrong with one document: people get all of them at once. */
export function joinReasons(reasons: readonly Reason[]): Reason {
  return {
    code: reasons[0]?.code ?? 'unknown',
    text: reasons.map(reason => reason.text).join(' '),
    fix: [...new Set(reasons.map(reason => reason.fix))].join(' '),
  };
}
