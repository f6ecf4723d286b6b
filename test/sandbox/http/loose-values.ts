/**
 * What JSON says as a number or a flag, multipart says as text: schemas that take both, and
 * the checks of older resources.
 */
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
/** A day that there is: not 30 February. */
export const day = z.iso.date('YYYY-MM-DD');
/** A whole number that JSON carries as such; text is what multipart has. */
export const jsonNumber = z.number().int();

/** `filters[name]`, once or often, with or without brackets behind it, or several values between commas. */
export function listOf(query: URLSearchParams, name: string): string[] {
  const given = [...query.getAll(`filters[${name}]`), ...query.getAll(`filters[${name}][]`)];
  return given.flatMap(value => value.split(',')).filter(value => value !== '');
}

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
