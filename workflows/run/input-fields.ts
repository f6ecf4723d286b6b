// Fields that the inputs of several jobs have, with the words that say what is wrong with one.
import { z } from 'zod';
import { isId } from './decide/is-id';

/** An id of the service; people may give it as a number. */
export function idLike(example: string) {
  const wanted = `an id of digits, for example ${example}`;
  return z
    .union([z.string(), z.number().int()], { error: wanted })
    .transform(String)
    .pipe(z.string().refine(isId, wanted));
}

export const day = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, 'a date such as "2026-01-31"');

export const shareName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,39}$/,
    'the name of a configured share: lower-case letters, digits and dashes',
  );

/**
 * `when` of a rule over several keys: the rule is then checked even where single keys are wrong, so that
 * people get all faults at once.
 */
export function isObject({ value }: { readonly value: unknown }): boolean {
  return typeof value === 'object' && value !== null;
}
