// What may be sent about a change order, kind by kind: the published request schemas, strictly.
import { z } from 'zod';
import { dateText, decimalText, numericId } from './strict-values';

/** The statuses that the service knows, the same for all three resources. */
export const CHANGE_ORDER_STATUSES = [
  'draft',
  'not_pricing',
  'pricing',
  'pending',
  'revised',
  'proceeding',
  'not_proceeding',
  'no_charge',
  'approved',
  'rejected',
  'void',
] as const;

const contract = z.strictObject({ projectId: numericId, contractId: numericId });

const common = {
  title: z.string().min(1).max(255).optional(),
  description: z.string().max(20_000).optional(),
  status: z.enum(CHANGE_ORDER_STATUSES).optional(),
  scheduleImpactDays: z.number().int().optional(),
  originId: z.string().min(1).max(255).optional(),
  originData: z.string().max(2_000).optional(),
  dueDate: dateText.optional(),
  invoicedDate: dateText.optional(),
  paidDate: dateText.optional(),
};
const grandTotal = decimalText.optional();

const packageFields = z
  .strictObject({
    ...common,
    grandTotal,
    originCode: z.string().max(255).optional(),
    executed: z.boolean().optional(),
    signedReceivedDate: dateText.optional(),
  })
  .transform(fields => ({
    ...wireCommon(fields),
    grand_total: fields.grandTotal,
    origin_code: fields.originCode,
    executed: fields.executed,
    signed_change_order_received_date: fields.signedReceivedDate,
  }));

// The body for a change order request is published as an object without keys; these are the fields of its
// record that can be set.
const requestShape = z.strictObject({ ...common, grandTotal, changeOrderPackageId: numericId.optional() });
const requestFields = requestShape.transform(fields => ({
  ...wireCommon(fields),
  grand_total: fields.grandTotal,
  change_order_package_id: fields.changeOrderPackageId,
}));

const number = z.string().min(1).max(255).optional();
const potentialFields = z.strictObject({ ...common, number, grandTotal }).transform(fields => ({
  ...wireCommon(fields),
  number: fields.number,
  grand_total: fields.grandTotal,
}));
const potentialUpdate = z
  .strictObject({ ...common, number, changeOrderRequestId: numericId.optional() })
  .transform(fields => ({
    ...wireCommon(fields),
    number: fields.number,
    change_order_request_id: fields.changeOrderRequestId,
  }));

/** Request schemas for `{contract, fields}`. */
export const changeOrderBodies = {
  package: { create: bodyOf(packageFields), update: bodyOf(packageFields) },
  request: { create: bodyOf(requestFields), update: bodyOf(requestFields) },
  potential: { create: bodyOf(potentialFields), update: bodyOf(potentialUpdate) },
};

function bodyOf<Fields extends z.ZodType>(fields: Fields) {
  return z.strictObject({ contract, fields }).transform(body => {
    const { contract: ref, fields: change } = body as {
      readonly contract: z.output<typeof contract>;
      readonly fields: z.output<Fields>;
    };
    return { project_id: ref.projectId, contract_id: ref.contractId, change_order: change };
  });
}

function wireCommon(fields: z.output<z.ZodObject<typeof common>>): Record<string, unknown> {
  return {
    title: fields.title,
    description: fields.description,
    status: fields.status,
    schedule_impact_amount: fields.scheduleImpactDays,
    origin_id: fields.originId,
    origin_data: fields.originData,
    due_date: fields.dueDate,
    invoiced_date: fields.invoicedDate,
    paid_date: fields.paidDate,
  };
}
