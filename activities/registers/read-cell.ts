// What a cell says for a field: nothing, "leave it empty", values, or something that no value can be made of.
import { foldText } from '../host/fold-text';
import type { NotShown, Resolution } from '../host/resolve-value';
import { type DateOrder, readDate } from './read-date';
import { quote } from './register-fault';
import type { Cell } from './sheet/grid';

/** A field as far as its cells have to be understood. */
export interface RegisterField {
  readonly name: string;
  readonly label: string;
  readonly takes: 'text' | 'number' | 'date' | 'one-of' | 'many-of';
  /** A document is known by it: what a spreadsheet program made of a text that was typed is not sent. */
  readonly isIdentity?: boolean;
  /** The list that `one-of` and `many-of` choose from; without it texts are passed on as they are. */
  readonly choices?: { resolve(text: string): Resolution | NotShown };
}

export interface CellRules {
  /** Which of day and month comes first where both could be meant: `register.dates`. */
  readonly dates?: DateOrder;
  /** The word for "leave it empty", usually `-`. */
  readonly emptyWord: string;
}

export type CellReading =
  /** The register leaves it to others: the name, the folder, the service, a default. */
  | { readonly kind: 'silent' }
  /** The field stays empty, whatever others say. */
  | { readonly kind: 'leave-empty' }
  /** Ids of the list where the field has one; texts otherwise. */
  | { readonly kind: 'values'; readonly values: readonly string[] }
  /** `text` says what is wrong with the cell and what to do, without where it is. */
  | { readonly kind: 'fault'; readonly text: string };

/** 1,234 is a thousand for some and a little more than one for others. */
const MAYBE_THOUSANDS = /^-?[1-9]\d{0,2}[.,]\d{3}$/;
/** Of a number this long a program has perhaps made zeros of the last digits that were typed. */
const ROUNDED = /^-?\d{16}/;
const KEPT_DIGITS = 15;
const PLAIN_NUMBER = /^-?\d+([.,]\d+)?$/;

export function readCell(cell: Cell, field: RegisterField, rules: CellRules): CellReading {
  const text = cell.text.trim().normalize('NFC');
  if (cell.kind === 'error') {
    return fault(`The cell shows ${text}. Correct the formula, or write the value.`);
  }
  if (text === '') return { kind: 'silent' };
  if (foldText(text) === foldText(rules.emptyWord)) return { kind: 'leave-empty' };
  switch (field.takes) {
    case 'text':
      return readText(text, cell, field);
    case 'number':
      return readNumber(text, cell, field);
    case 'date':
      return readDateCell(text, cell, field, rules.dates);
    case 'one-of':
      return readChoices([text], field);
    case 'many-of':
      return readChoices(splitValues(text, field), field);
  }
}

/** One value that has a semicolon in it is told from several by the list. */
function splitValues(text: string, { choices }: RegisterField): readonly string[] {
  if (!text.includes(';') || choices?.resolve(text).kind === 'resolved') return [text];
  const parts = text.split(';').map(part => part.trim());
  return [...new Set(parts.filter(part => part !== ''))];
}

/**
 * Of a revision 1.2 that is typed a program makes 1 February, and of a number 2E05 it makes 200000, unless
 * the cell is formatted as text.
 */
function readText(text: string, cell: Cell, { label, isIdentity }: RegisterField): CellReading {
  const made = isIdentity === true ? tellMade(text, cell) : undefined;
  if (made === undefined) return { kind: 'values', values: [text] };
  return fault(`The cell for ${quote(label)} is the ${made}. Format it as text, and write the value again.`);
}

/** What a program has made of what was typed; undefined where it shows what it holds. */
function tellMade(text: string, { kind, isShownOtherwise }: Cell): string | undefined {
  if (kind === 'boolean') return `truth value ${text} and no text`;
  if (kind === 'date') return `${text.includes('-') ? 'date' : 'time'} ${text} and no text`;
  if (kind !== 'number') return undefined;
  if (ROUNDED.test(text)) return `number ${text}, of which the program keeps ${KEPT_DIGITS} digits`;
  return isShownOtherwise === true ? `number ${text}, which the sheet shows otherwise` : undefined;
}

function readNumber(text: string, { kind, plain = text }: Cell, { label }: RegisterField): CellReading {
  if (kind === 'number' && PLAIN_NUMBER.test(plain)) return { kind: 'values', values: [plain] };
  if (MAYBE_THOUSANDS.test(text)) {
    const thousand = text.replace(/[.,]/, '');
    const decimal = text.replace(',', '.');
    return fault(
      `${quote(text)} for ${quote(label)} could be ${thousand} or ${decimal}. Write ${thousand} or ${decimal}0.`,
    );
  }
  if (PLAIN_NUMBER.test(text)) return { kind: 'values', values: [text.replace(',', '.')] };
  return fault(`${quote(text)} for ${quote(label)} is no number. Write one such as 12.5.`);
}

function readDateCell(
  text: string,
  cell: Cell,
  { label }: RegisterField,
  order: DateOrder | undefined,
): CellReading {
  const given = `${quote(text)} for ${quote(label)}`;
  if (cell.kind === 'number') {
    return fault(`${given} is a number and no date. Format the cell as a date, or write the date as text.`);
  }
  const reading = readDate(text, order);
  switch (reading.kind) {
    case 'date':
      return { kind: 'values', values: [reading.iso] };
    case 'two-ways':
      return fault(
        `${given} could be ${reading.readings.map(nameDate).join(' or ')}. Write it as ${reading.readings.join(' or ')}.`,
      );
    case 'short-year':
      return fault(`${given} has a year of two digits. Write the year with four.`);
    case 'no-date':
      return fault(`${given} is no date${orderSaid(order)}. Write one such as 2026-04-03.`);
  }
}

function orderSaid(order: DateOrder | undefined): string {
  if (order === undefined) return '';
  return ` in the order ${order.replaceAll('-', ', ')}, which this share takes dates in`;
}

/** `3 April 2026`: the month as a word, so that Europe and America read the same. */
function nameDate(iso: string): string {
  return new Date(`${iso.slice(0, 10)}T00:00:00Z`).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}

function readChoices(texts: readonly string[], field: RegisterField): CellReading {
  const { choices } = field;
  if (choices === undefined) return { kind: 'values', values: texts };
  const resolved = texts.map(text => ({ text, resolution: choices.resolve(text) }));
  const wrong = resolved.flatMap(({ text, resolution }) =>
    resolution.kind === 'resolved' ? [] : [tellChoice(text, resolution, field)],
  );
  if (wrong.length > 0) return fault(wrong.join(' '));
  const ids = resolved.flatMap(({ resolution }) =>
    resolution.kind === 'resolved' ? [resolution.value] : [],
  );
  return { kind: 'values', values: [...new Set(ids)] };
}

function tellChoice(
  text: string,
  resolution: Exclude<Resolution, { kind: 'resolved' }> | NotShown,
  field: RegisterField,
): string {
  const given = `${quote(text)} for ${quote(field.label)}`;
  if (resolution.kind === 'not-shown')
    return `${given} could not be looked up: ${resolution.why}. ${resolution.fix}`;
  if (resolution.kind === 'ambiguous') {
    return `${given} fits several values of the list. Write exactly one of: ${resolution.nearest.join(', ')}.`;
  }
  if (field.takes === 'one-of' && text.includes(';')) {
    return `${given} is more than one value, and the field takes one.`;
  }
  const what = resolution.kind === 'inactive' ? 'is no longer in use' : 'is not a value of this project';
  const nearest = resolution.kind === 'malformed' ? [] : resolution.nearest;
  return `${given} ${what}.${nearest.length === 0 ? '' : ` Nearest: ${nearest.join(', ')}.`}`;
}

function fault(text: string): CellReading {
  return { kind: 'fault', text };
}
