// What workflows may ask about change orders. A refusal by the service is a result, not an error; errors are
// about the service or the project.

import type { AskedFields, Difference } from '../../workflows/change-orders/decide/describe-difference';
import type { Asking, ProjectRef, Reason } from '../../workflows/contract';
import type { Refused } from '../scope/refusal-reason';
import type { LineItem, LineItemFields } from '../service/endpoints/change-order-lines';
import type {
  ChangeOrder,
  ChangeOrderFields,
  ChangeOrderKind,
  ChangeOrderStatus,
} from '../service/endpoints/change-orders';

export type { ChangeOrderFields, ChangeOrderKind, ChangeOrderStatus, LineItemFields };

export interface ContractScope {
  readonly project: ProjectRef;
  readonly contractId: string;
}

/** Money is decimal text as the service wrote it. */
export type ChangeOrderView = Pick<
  ChangeOrder,
  | 'id'
  | 'number'
  | 'title'
  | 'status'
  | 'grandTotal'
  | 'originId'
  | 'changeOrderPackageId'
  | 'changeOrderRequestId'
  | 'lineItemsTotal'
>;

export interface PutChangeOrderInput extends ContractScope {
  readonly kind: ChangeOrderKind;
  /** Finds it again: with the same one, nothing is ever made twice. */
  readonly originId: string;
  readonly fields: Omit<ChangeOrderFields, 'originId'> & { readonly title: string };
  /** The one that is meant, whatever origin id it carries so far: then none is looked for, and none made. */
  readonly id?: string;
  /** Absent in a run of the release before. */
  readonly asked?: Asking;
}

/**
 * Whether what is found was made for this call, by an attempt whose answer was lost; `perhaps`: nobody knows
 * what was done for it before (by an attempt that was cut off, before it stood still, before a reset).
 * Absent: a run before has made it.
 */
export type MadeHere = 'yes' | 'perhaps';

export type PutChangeOrderResult =
  | {
      readonly kind: 'made';
      readonly changeOrder: ChangeOrderView;
      /** An attempt, or a run, before may have made another one, which no list has shown so far. */
      readonly isInDoubt?: true;
    }
  | {
      readonly kind: 'found';
      readonly changeOrder: ChangeOrderView;
      readonly madeHere?: MadeHere;
    }
  | {
      readonly kind: 'corrected';
      readonly changeOrder: ChangeOrderView;
      readonly madeHere?: MadeHere;
      readonly corrected: readonly (Difference['field'] | 'originId')[];
    }
  | Refused;

export interface FindOfOriginInput extends ContractScope {
  readonly kind: ChangeOrderKind;
  readonly originId: string;
  readonly fields: { readonly title: string };
}

/** How a contract stood before anything was made in it. */
export interface ContractSurvey {
  /** The package of that origin id, if there is one already. */
  readonly packageId: string | null;
  readonly potentialIds: readonly string[];
  /**
   * Of the project: as a potential change order says, or as the kinds that it lists say; null where neither
   * does.
   */
  readonly tiers: string | null;
}

/** Asks for the potential change order that the service makes along with a package (one tier). */
export interface FindCompanionInput extends ContractScope {
  readonly originId: string;
  readonly packageTitle: string;
  /** Potential change orders that were there before the package was put. */
  readonly knownIds: readonly string[];
  /**
   * The package was there before it was put: what came along may be among `knownIds`, where a list showed it
   * earlier than the package. Absent also in a run of the release before.
   */
  readonly isFound?: true;
  /**
   * Nobody knows whether it was: one among `knownIds` that could be it is for people to tell. A worker of an
   * earlier version passes it by, and takes none of these.
   */
  readonly isPerhapsFound?: true;
}

export type FindCompanionResult =
  | { readonly kind: 'found'; readonly id: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'ambiguous'; readonly ids: readonly string[] };

export type ChangeOrderReply = { readonly kind: 'done'; readonly changeOrder: ChangeOrderView } | Refused;

export interface WantedLine {
  readonly originId: string;
  readonly fields: Omit<LineItemFields, 'originId'>;
}

export type LineView = Pick<LineItem, 'id' | 'originId' | 'amount' | 'quantity' | 'unitCost' | 'description'>;

export interface PutLinesInput extends ContractScope {
  readonly potentialId: string;
  readonly lines: readonly WantedLine[];
  /** Absent in a run of the release before. */
  readonly asked?: Asking;
}

export interface PutLinesResult {
  readonly lines: readonly (LineView & { readonly kind: 'made' | 'found' | 'changed' })[];
  readonly refused: readonly { readonly originId: string; readonly reason: Reason }[];
}

export interface UpdateChangeOrderInput extends ContractScope {
  readonly kind: ChangeOrderKind;
  readonly id: string;
  readonly fields: ChangeOrderFields;
}

export interface ReadChangeOrderInput extends ContractScope {
  readonly kind: ChangeOrderKind;
  readonly id: string;
  readonly asked?: AskedFields;
}

/** `differences`: how it stands otherwise than asked. */
export type ReadChangeOrderResult = ChangeOrderView & { readonly differences: readonly Difference[] };

export interface ReadPartsBelowInput extends ContractScope {
  readonly packageId: string;
  readonly requestIds: readonly string[];
  readonly knownIds: readonly string[];
  readonly withPotentials: boolean;
}

/** The lowest first. */
export interface PartsBelow {
  readonly parts: readonly (ChangeOrderView & { readonly kind: 'request' | 'potential' })[];
}
