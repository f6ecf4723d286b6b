// Change orders in one-, two- and three-tier projects: input and result. Money is text all the way:
// "12500.00".
import { z } from 'zod';
import { day, idLike, isObject } from '../run/input-fields';
import { faultsOfParts } from './decide/faults-of-parts';

const id = idLike('7001');
const money = z
  .string({ error: 'decimal text in quotes, for example "12500.00"' })
  .regex(/^-?\d{1,15}(\.\d{1,6})?$/, 'decimal text without separators, for example "12500.00"');
const title = z.string().trim().min(1, 'a title').max(255);
const key = z
  .string()
  .regex(
    /^[\w.:-]{1,40}$/,
    'letters, digits, dots, colons and dashes, at most 40, unique among its neighbours',
  )
  .optional();

const line = z
  .strictObject({
    key,
    description: z.string().trim().min(1).max(2_000),
    amount: money.optional(),
    quantity: money.optional(),
    unitCost: money.optional(),
    unit: z.string().min(1).max(50).optional(),
    costCodeId: id.optional(),
    wbsCodeId: id.optional(),
    lineItemTypeId: id.optional(),
    taxCodeId: id.optional(),
  })
  .refine(
    item =>
      (item.amount !== undefined) !== (item.quantity !== undefined || item.unitCost !== undefined) &&
      (item.quantity === undefined) === (item.unitCost === undefined),
    { message: 'give either "amount", or "quantity" and "unitCost"', when: isObject },
  );
// A payload stays below 64 KiB, a history below 5,000 events.
const lines = z.array(line).min(1, 'at least one line item').max(200, 'at most 200 line items');
const description = z.string().max(20_000).optional();
const potential = z.strictObject({ key, title, description, lineItems: lines });
const requestsWith = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .array(z.strictObject({ key, title, description, ...shape }))
    .min(1, 'at least one request')
    .max(50, 'at most 50 requests');

const common = {
  companyId: id,
  projectId: id,
  contractId: id,
  originId: z
    .string()
    .regex(
      /^[\w.:/-]{1,100}$/,
      'what your own system calls it, for example "CO-2026-014": letters, digits, dots, slashes, colons and dashes',
    ),
  title,
  description,
  status: z.string().trim().min(1).max(100).optional(),
  dueDate: day.optional(),
  scheduleImpactDays: z.number().int().optional(),
  removeOtherLineItems: z.boolean().optional(),
  voidOthers: z.boolean().optional(),
};

const byTiers = z.discriminatedUnion(
  'tiers',
  [
    z.strictObject({ ...common, tiers: z.literal(1), lineItems: lines }),
    z.strictObject({
      ...common,
      tiers: z.literal(2),
      requests: requestsWith({ amount: money.optional() }),
      tiersAreRight: z.boolean().optional(),
    }),
    z.strictObject({
      ...common,
      tiers: z.literal(3),
      requests: requestsWith({
        potentialChangeOrders: z.array(potential).min(1, 'at least one').max(50, 'at most 50'),
      }),
    }),
  ],
  { error: '1, 2 or 3: how many tiers the project is configured with' },
);

/** What has nothing to do with tiers is checked beside them, so that a wrong "tiers" hides no other fault. */
export const changeOrderInput = z
  .object(common)
  .and(byTiers)
  .superRefine(
    (input, context) => {
      for (const { path, message } of faultsOfParts(input)) {
        context.addIssue({ code: 'custom', path: [...path], message });
      }
    },
    { when: isObject },
  );
/**
 * A change order of a contract, whole. With the same `originId` a later start continues: what is there is
 * found and corrected, nothing is made twice. `key` names a part that keeps its identity when the order of
 * the parts changes. `removeOtherLineItems`: line items of this origin id that the input no longer has are
 * removed. `voidOthers`: requests and potential change orders of this origin id that it no longer has get the
 * status void, for the service removes none.
 */
export type ChangeOrderInput = z.input<typeof changeOrderInput>;
export type ParsedChangeOrder = z.output<typeof changeOrderInput>;
export type ParsedLine = z.output<typeof line>;
export type ParsedPotential = z.output<typeof potential>;

export interface ChangeOrderPart {
  readonly id: string;
  readonly number: string | null;
  readonly title: string;
  readonly status: string | null;
  /** Decimal text, as the service shows it. */
  readonly total: string | null;
  /**
   * `made` by this run; `found` as it was asked for, of an earlier run or of an attempt without answer,
   * or `corrected` to be so; `came-along`: the service made it with its package.
   */
  readonly how: 'made' | 'found' | 'corrected' | 'came-along';
}

export interface ChangeOrderResult {
  readonly package: ChangeOrderPart;
  readonly requests: readonly ChangeOrderPart[];
  readonly potentialChangeOrders: readonly (ChangeOrderPart & { readonly lineItems: number })[];
  readonly notes: readonly string[];
}

/** One run at a time for an origin id: that is what keeps two of them from being made at the same moment. */
export function changeOrderWorkflowId(projectId: string, contractId: string, originId: string): string {
  return `change-order/${projectId}/${contractId}/${originId}`;
}
