// Whether a change order stands as it was asked for, field by field. Fields that the input leaves out are not
// compared.
import { isSameText } from '../../run/decide/same-text';
import { isSameToTheCent } from './exact-money';

/** What an input can ask of a change order, of whichever kind. Money is decimal text. */
export interface AskedFields {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** YYYY-MM-DD. */
  readonly dueDate?: string | undefined;
  readonly scheduleImpactDays?: number | undefined;
  readonly grandTotal?: string | undefined;
}

/** The same fields as the service shows them. */
export interface ShownFields {
  readonly title: string;
  readonly description: string | null;
  /** A day, or a moment. */
  readonly dueDate: string | null;
  readonly scheduleImpactDays: string | null;
  readonly grandTotal: string | null;
}

export interface Difference {
  readonly field: keyof AskedFields;
  /** For people: the beginning of a long text. */
  readonly shown: string | null;
  readonly wanted: string;
}

const LONGEST_SHOWN = 80;
const NAMES: Readonly<Record<keyof AskedFields, string>> = {
  title: 'title',
  description: 'description',
  dueDate: 'due date',
  scheduleImpactDays: 'schedule impact',
  grandTotal: 'amount',
};

/** What does not stand as asked. */
export function differencesOf(shown: ShownFields, asked: AskedFields): readonly Difference[] {
  const found: Difference[] = [];
  const compare = (
    field: keyof AskedFields,
    have: string | null,
    isSame: (have: string, want: string) => boolean,
  ) => {
    const want = asked[field];
    if (want === undefined) return;
    const text = String(want);
    // An empty text that was asked for and one that is not there are the same.
    if (text === '' ? (have ?? '') === '' : have !== null && isSame(have, text)) return;
    found.push({ field, shown: have === null ? null : clip(have), wanted: clip(text) });
  };
  compare('title', shown.title, isSameText);
  compare('description', shown.description, isSameText);
  compare('dueDate', shown.dueDate, (have, want) => have.slice(0, 10) === want);
  compare('scheduleImpactDays', shown.scheduleImpactDays, (have, want) => Number(have) === Number(want));
  compare('grandTotal', shown.grandTotal, isSameToTheCent);
  return found;
}

/** In people's words: `what` is "request 620001". */
export function describeDifference(what: string, { field, shown, wanted }: Difference): string {
  const have = shown === null || shown === '' ? 'nothing' : `"${shown}"`;
  return `The ${what} has ${have} as its ${NAMES[field]}, not "${wanted}".`;
}

function clip(text: string): string {
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN - 1)}…`;
}
