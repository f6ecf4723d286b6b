// What a person gives for a held document, laid over what its names say. Pure.
import type { Reason, ValuesByField } from '../../contract';

/** An empty text says nothing: what the names say stays. An empty list says that nothing is to be there. */
export function addGiven(values: ValuesByField, given: ValuesByField): ValuesByField {
  return { ...values, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')) };
}

/** Of a document that has its file, and its values with it: that something is to be empty is no answer. */
export function withoutEmptied<Value extends ValuesByField[string]>(
  given: Readonly<Record<string, Value>>,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value.length > 0));
}

/** Undefined where there is a value to be written besides, or nothing is to be empty. */
export function refuseEmptied(given: ValuesByField): Reason | undefined {
  const emptied = Object.keys(given);
  if (emptied.length === 0 || Object.keys(withoutEmptied(given)).length > 0) return undefined;
  return {
    code: 'value-written',
    text: `What the document has as ${emptied.map(field => `"${field}"`).join(', ')} was written with its file, and is not taken out again.`,
    fix: 'Leave it as it was; empty it in the service, once the document is there.',
  };
}
