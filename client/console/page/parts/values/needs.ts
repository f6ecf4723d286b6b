// Which fields a held document needs a value of, by what is missing and what its reason says. Pure.
import { foldText } from '../../../../../activities/host/fold-text';
import { type CheckedField, requiring } from './check-cell';

interface Asked {
  readonly missing: readonly string[];
  readonly reason: string;
}

/** Labels of the fields it is about: those that are missing, and those whose value its reason calls wrong. */
export function labelsAsked({ missing, reason }: Asked): readonly string[] {
  return [...new Set([...missing, ...faultsIn(reason).map(({ label }) => label)])];
}

export function needsOf(held: Asked, fields: readonly CheckedField[]): readonly CheckedField[] {
  const wanted = labelsAsked(held);
  return fields.filter(field => isNamed(wanted, field)).map(field => asAsked(held, field));
}

/** The field as this document is asked for it: one that is missing cannot be left empty, as others may. */
export function asAsked(held: Asked, field: CheckedField): CheckedField {
  return isNamed(held.missing, field) ? requiring(field) : field;
}

function isNamed(labels: readonly string[], { label, name }: CheckedField): boolean {
  const wanted = labels.map(foldText);
  return wanted.includes(foldText(label)) || wanted.includes(foldText(name));
}

interface CellFault {
  readonly text: string;
  readonly label: string;
  readonly says: string;
}

/** Wrong values that a reason names, in the words of register faults: `"IFC" for "Status" is not a value` */
export function faultsIn(reason: string): readonly CellFault[] {
  return [...reason.matchAll(/"([^"]*)" for "([^"]+)" ([^.:]*)/g)].map(
    ([, text = '', label = '', says = '']) => ({
      text,
      label,
      says: says.trim(),
    }),
  );
}
