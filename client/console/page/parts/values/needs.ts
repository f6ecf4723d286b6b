// Which fields a held document needs a value of, by what is missing and what its reason says. Pure.
import { foldText } from '../../../../../activities/host/fold-text';
import type { CheckedField } from './check-cell';

interface Asked {
  readonly missing: readonly string[];
  readonly reason: string;
}

/** What fields are called there. */
export function labelsAsked({ missing, reason }: Asked): readonly string[] {
  return [...new Set([...missing, ...faultsIn(reason).map(({ label }) => label)])];
}

export function needsOf(held: Asked, fields: readonly CheckedField[]): readonly CheckedField[] {
  const wanted = labelsAsked(held).map(foldText);
  return fields.filter(
    ({ label, name }) => wanted.includes(foldText(label)) || wanted.includes(foldText(name)),
  );
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
