// From a webhook event to the input of what it triggers: a template whose texts
// hold {names} of the event's ids.
import { entryOf } from '../../activities/host/entry-of';

/**
 * What a template can take from an event. Ids and times only: a payload's values are
 * a hint where to look, no more.
 */
export interface EventValues {
  readonly eventId: string;
  readonly resource: string;
  readonly event: string;
  readonly resourceId: string;
  readonly companyId: string;
  readonly projectId: string;
  readonly timestamp: string;
}

export const EVENT_NAMES: readonly (keyof EventValues)[] = [
  'eventId',
  'resource',
  'event',
  'resourceId',
  'companyId',
  'projectId',
  'timestamp',
];

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

const PLACE = /\{(\w+)\}/g;

/** The template with every {name} replaced. Keys stay as they are. */
export function fillTemplate(template: Json, values: EventValues): Json {
  if (typeof template === 'string') {
    return template.replace(PLACE, (whole, name: string) => entryOf(values, name) ?? whole);
  }
  if (Array.isArray(template)) return template.map(entry => fillTemplate(entry as Json, values));
  if (typeof template === 'object' && template !== null) {
    return Object.fromEntries(
      Object.entries(template).map(([key, entry]) => [key, fillTemplate(entry as Json, values)]),
    );
  }
  return template;
}

/** Names that no event has: mistakes of whoever wrote the template. */
export function unknownNames(template: Json): readonly string[] {
  const known: readonly string[] = EVENT_NAMES;
  return [...JSON.stringify(template).matchAll(PLACE)]
    .map(([, name = '']) => name)
    .filter(name => !known.includes(name));
}
