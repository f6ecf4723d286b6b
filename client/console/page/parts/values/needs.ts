// Which fields a held document needs a value of, by what is missing and what its reason says. Pure.
import { foldText } from '../../../../../activities/host/fold-text';
import { type CheckedField, requiring } from './check-cell';

interface Asked {
  readonly missing: readonly string[];
  readonly reason: string;
}

/** What fields are called there. */
export function labelsAsked({ missing, reason }: Asked): readonly string[] {
  return [...new Set([...missing, ...faultsIn(reason).map(({ label }) => label)])];
}

export function needsOf(held: Asked, fields: readonly CheckedField[]): readonly CheckedField[] {
  const wanted = labelsAsked(held);
  return fields.filter(field => isNamed(wanted, field)).map(field => asAsked(held, field));
}

/** What is missing cannot be left empty, whatever other documents may do without. */
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

/** As the rows of a register are told: `"IFC" for "Status" is not a value of this project.` */
export function faultsIn(reason: string): readonly CellFault[] {
  return [...reason.matchAll(/"([^"]*)" for "([^"]+)" ([^.:]*)/g)].map(
    ([, text = '', label = '', says = '']) => ({
      text,
      label,
      says: says.trim(),
    }),
  );
}
