/** What JSON says as a number or a flag, multipart says as text: schemas that take both, and the checks of older resources. */
import { z } from 'zod';
import { plainError, Refusal } from './answer';

/** A whole number, also as text. */
export const wholeNumber = z.union([
  z.number().int(),
  z
    .string()
    .regex(/^-?\d{1,15}$/)
    .transform(Number),
]);
export const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform(text => text === 'true')]);
/** Decimal text: a JSON number is refused, since it may have lost digits already. */
export const decimal = z.string().regex(/^-?\d+(\.\d+)?$/, 'decimal text');
export const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'YYYY-MM-DD');

/** The body as the schema says, or 400 with the faults by place, in the form of the older resources. */
export function checkPlainBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const errors = Object.fromEntries(
    result.error.issues.map(issue => [issue.path.join('.') || 'body', [issue.message]]),
  );
  throw new Refusal({ status: 400, json: { errors } });
}

export function refusePlainly(status: number, message: string): Refusal {
  return new Refusal(plainError(status, message));
}
