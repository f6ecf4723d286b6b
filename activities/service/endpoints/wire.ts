// Schema pieces for reading the wire leniently: unknown keys are stripped, null and absent are one
// thing, enums may grow, ids may be numbers. What must be there (ids, lists) must be there: a broken
// success never reads as an empty one.
import { z } from 'zod';

const MOST_SECONDS = 1e12;

/** An id, numeric or text, as text. */
export const wireId = z.union([z.string().min(1).max(200), z.number().int()]).transform(id => String(id));

/** Optional text; numbers and booleans become text; absent becomes null. */
export const wireText = z
  .union([z.string(), z.number(), z.boolean()])
  .nullish()
  .transform(text => (text === null || text === undefined ? null : String(text)));

/** Optional text where an empty one serves as well as none. */
export const wireTextOrEmpty = wireText.transform(text => text ?? '');

/**
 * Optional text that goes further, into a record or a request, where only so much fits: an empty or a longer
 * one is none.
 */
export function wireTextWithin(most: number) {
  return wireText.transform(text => (text === null || text === '' || text.length > most ? null : text));
}

/** Optional flag with the value that absence means. */
export function wireFlag(whenAbsent: boolean) {
  return z
    .boolean()
    .nullish()
    .transform(flag => flag ?? whenAbsent);
}

/** An optional part; null and absent are null. */
export function wireOptional<Part extends z.ZodType>(part: Part) {
  return part.nullish().transform(found => found ?? null);
}

/** An optional reference to something that has an id and a name. */
export const wireNamed = wireOptional(z.object({ id: wireId, name: wireTextOrEmpty }));

/**
 * Optional list; null elements are left out, absence is an empty list. Not for lists that say what succeeded:
 * those must be there.
 */
export function wireList<Item extends z.ZodType>(item: Item) {
  return z
    .array(item.nullable())
    .nullish()
    .transform(items => (items ?? []).filter(entry => entry !== null) as z.output<Item>[]);
}

/**
 * A list whose items are read each by itself: null where one cannot be read. It keeps its place, for the
 * items of a page are counted, and what is not there is something else.
 */
export function wireItems<Item extends z.ZodType>(item: Item) {
  return z.array(item.nullable().catch(null as never));
}

/**
 * Seconds on the wire; what no clock can reach is no time at all, and would be an infinity in milliseconds.
 */
export const wireSeconds = z.number().min(-MOST_SECONDS).max(MOST_SECONDS);

/** One of the known texts, else `other`; null and absent stay null. */
export function wireKind<const Known extends readonly string[]>(known: Known) {
  return z
    .unknown()
    .optional()
    .transform((value): Known[number] | 'other' | null => {
      if (value === null || value === undefined) return null;
      return known.find(entry => entry === value) ?? 'other';
    });
}

/** The envelope of document management and file uploads. */
export function inData<Inner extends z.ZodType>(inner: Inner) {
  return z.object({ data: inner }).transform(body => (body as { readonly data: z.output<Inner> }).data);
}

/** `page` and `per_page`, as far as they are given. */
export function pageValues(query: {
  readonly page?: number | undefined;
  readonly perPage?: number | undefined;
}) {
  return { page: query.page, per_page: query.perPage };
}
