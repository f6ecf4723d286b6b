// Pieces of what we send, checked before anything leaves: ids that the wire wants as numbers, money, dates.
// What is undefined in a body is left out when it is written, in whichever form (wire-request.ts).
import { z } from 'zod';

/** An id that is a number on the wire; text here, as everywhere. More than a JSON number holds is refused. */
export const numericId = z
  .string()
  .regex(/^[1-9]\d{0,15}$/)
  .transform(Number)
  .pipe(z.int());

/** Money and quantities: decimal text, never a floating-point number. */
export const decimalText = z.string().regex(/^-?\d{1,18}(\.\d{1,6})?$/);

/** YYYY-MM-DD. */
export const dateText = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/);
