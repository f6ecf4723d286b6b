/** What the stand-in remembers of change orders. Ids count up from a number of their own, kind by kind. */

export type ChangeOrderKind = 'package' | 'request' | 'potential';

export interface ChangeOrderRecord {
  id: string;
  kind: ChangeOrderKind;
  projectId: string;
  contractId: string;
  /** From 1 in each contract and kind, as text of three digits. */
  number: string;
  /** The record's settable fields, under their names on the wire. */
  fields: Record<string, unknown>;
  /** The request's package, or in one tier the package that brought the potential change order. */
  packageId: string | null;
  /** The potential change order's request. */
  requestId: string | null;
  createdBy: number;
  createdAt: number;
  updatedAt: number;
}

export interface LineItemRecord {
  id: string;
  changeOrderId: string;
  projectId: string;
  position: number;
  /** Under their names on the wire. */
  fields: Record<string, unknown>;
  /** Decimal text with two places. */
  amount: string;
  createdAt: number;
  updatedAt: number;
  deletedAt: number | null;
}
