// What a person gives for a held document, laid over what its names say. Pure.
import type { Reason, ValuesByField } from '../../contract';

/** What is given comes last: of several names for one field the last counts. */
export function layOver(values: ValuesByField, given: ValuesByField): ValuesByField {
  const kept = Object.entries(values).filter(([name]) => !Object.hasOwn(given, name));
  return { ...Object.fromEntries(kept), ...given };
}

/** An empty text says nothing: what the names say stays. An empty list says that nothing is to be there. */
export function addGiven(values: ValuesByField, given: ValuesByField): ValuesByField {
  return layOver(values, Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')));
}

/** Without what is to be left empty: that is no answer once values were written with the document's file. */
export function withoutEmptied<Value extends ValuesByField[string]>(
  given: Readonly<Record<string, Value>>,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value.length > 0));
}

/**
 * Why an answer that only empties fields cannot be used; undefined where it gives values, or empties none.
 */
export function refuseEmptied(given: ValuesByField): Reason | undefined {
  const emptied = Object.keys(given);
  if (emptied.length === 0 || Object.keys(withoutEmptied(given)).length > 0) return undefined;
  return {
    code: 'value-written',
    text: `What the document has as ${emptied.map(field => `"${field}"`).join(', ')} was written with its file, and is not taken out again.`,
    fix: 'Leave it as it was; empty it in the service, once the document is there.',
  };
}
