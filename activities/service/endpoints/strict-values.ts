// Pieces of what we send, checked before anything leaves: ids that the wire wants as numbers, money, dates.
import { z } from 'zod';

/** An id that is a number on the wire; text here, as everywhere. Fifteen digits survive JSON's numbers. */
export const numericId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number);

/** Money and quantities: decimal text, never a floating-point number. */
export const decimalText = z.string().regex(/^-?\d{1,18}(\.\d{1,6})?$/);

/** YYYY-MM-DD. */
export const dateText = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/);

/** Leaves the keys out whose value is undefined. */
export function given<Values extends Readonly<Record<string, unknown>>>(values: Values): Partial<Values> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Partial<Values>;
}
