// Whether a text is a value of its field, told as it is typed: by the same rules as registers are read by.
// Pure.
import { choicesOf } from '../../../../../activities/registers/choices';
import { type CellRules, type RegisterField, readCell } from '../../../../../activities/registers/read-cell';
import { readDate } from '../../../../../activities/registers/read-date';
import type { FieldsPage, ProjectFieldOf } from '../../../contract/waiting';

export type Checked =
  | { readonly kind: 'value'; readonly texts: readonly string[] }
  /** `nearest` are texts that would be values. */
  | { readonly kind: 'fault'; readonly text: string; readonly nearest: readonly string[] };

export interface CheckedField extends ProjectFieldOf {
  readonly check: (text: string) => Checked;
}

/** Makes fields ready to be asked for thousands of cells. */
export function checkedFields({
  fields,
  dates,
}: Pick<FieldsPage, 'fields' | 'dates'>): readonly CheckedField[] {
  // What says "leave it empty" in a register is no answer here.
  const rules: CellRules = { emptyWord: '\u0000', ...(dates === null ? {} : { dates }) };
  return fields.map(field => ({ ...field, check: remember(toCheck(field, rules)) }));
}

function toCheck(field: ProjectFieldOf, rules: CellRules): (text: string) => Checked {
  const { name, label, takes, values } = field;
  const choices = choicesOf(
    values.map(({ label: id, code }) => ({
      id,
      label: id,
      alternatives: code === '' ? [] : [code],
      active: true,
    })),
  );
  // A list that is too long to be kept here is looked up when it is saved.
  const known: RegisterField = { name, label, takes, ...(values.length === 0 ? {} : { choices }) };
  return text => {
    const reading = readCell({ text, kind: 'text' }, known, rules);
    if (reading.kind === 'values') return { kind: 'value', texts: reading.values };
    const fault = reading.kind === 'fault' ? reading.text : '';
    return { kind: 'fault', text: fault, nearest: nearestOf(text) };
  };
  function nearestOf(text: string): readonly string[] {
    if (takes === 'date') {
      const reading = readDate(text, rules.dates);
      return reading.kind === 'two-ways' ? reading.readings : [];
    }
    if (values.length === 0) return [];
    const parts = takes === 'many-of' ? text.split(';') : [text];
    const wrong = parts.map(part => choices.resolve(part.trim())).find(({ kind }) => kind !== 'resolved');
    return wrong !== undefined && 'nearest' in wrong ? wrong.nearest : [];
  }
}

function remember(check: (text: string) => Checked): (text: string) => Checked {
  const known = new Map<string, Checked>();
  return text => {
    const found = known.get(text) ?? check(text);
    known.set(text, found);
    return found;
  };
}
