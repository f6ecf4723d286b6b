// Whether a text is a value of its field, told while it is typed. The rules are those that registers are
// read by. Pure.
import { choicesOf } from '../../../../../activities/registers/choices';
import { type CellRules, type RegisterField, readCell } from '../../../../../activities/registers/read-cell';
import { readDate } from '../../../../../activities/registers/read-date';
import type { FieldsPage, ProjectFieldOf } from '../../../contract/waiting';
import { texts } from '../../shell/texts';

export type Checked =
  /** `texts` are the values as they are sent; without any the field is left empty. */
  | { readonly kind: 'value'; readonly texts: readonly string[] }
  /** `nearest` are texts that would be values. */
  | { readonly kind: 'fault'; readonly text: string; readonly nearest: readonly string[] };

export interface CheckedField extends ProjectFieldOf {
  readonly check: (text: string) => Checked;
  /** The word that leaves the field empty; absent where a value is required. */
  readonly emptyWord?: string;
}

/** Fields with their checks, which remember what they found: thousands of cells ask them. */
export function checkedFields({ fields, dates, emptyWord }: Omit<FieldsPage, 'at'>): readonly CheckedField[] {
  const rules: CellRules = { emptyWord, ...(dates === null ? {} : { dates }) };
  return fields.map(field => {
    const checked = { ...field, check: remember(toCheck(field, rules)), emptyWord };
    return field.required ? requiring(checked) : checked;
  });
}

/** The same field for a document that may not be without a value. */
export function requiring({ emptyWord: _none, ...field }: CheckedField): CheckedField {
  return {
    ...field,
    check: text => {
      const checked = field.check(text);
      return checked.kind === 'value' && checked.texts.length === 0 ? required(field) : checked;
    },
  };
}

function required({ label }: Pick<ProjectFieldOf, 'label'>): Checked {
  return { kind: 'fault', text: texts.waiting.are.required(label), nearest: [] };
}

/**
 * As it is sent for the field: a text, or a list where the field takes many or is left empty. Undefined where
 * the text is no value of it.
 */
export function toAnswer({ takes, check }: CheckedField, text: string): string | string[] | undefined {
  const checked = check(text);
  if (checked.kind !== 'value') return undefined;
  const [first] = checked.texts;
  return first === undefined || takes === 'many-of' ? [...checked.texts] : first;
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
  // A list too long to be kept here comes empty: any text is taken, and looked up when it is saved.
  const known: RegisterField = { name, label, takes, ...(values.length === 0 ? {} : { choices }) };
  return text => {
    const reading = readCell({ text, kind: 'text' }, known, rules);
    if (reading.kind === 'values') return { kind: 'value', texts: reading.values };
    if (reading.kind === 'leave-empty') return { kind: 'value', texts: [] };
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
