// Whether a change order stands as it was asked for, field by field. Fields that the input leaves out are not
// compared.
import type { AskedFields, Difference } from '../../../workflows/change-orders/decide/describe-difference';
import { isSameToTheCent } from '../../../workflows/change-orders/decide/exact-money';
import { isSameText } from '../../../workflows/run/decide/same-text';

const LONGEST_SHOWN = 80;

/** The fields that can be asked for, as the service shows them. */
export interface ShownFields {
  readonly title: string;
  readonly description: string | null;
  /** A day, or a moment. */
  readonly dueDate: string | null;
  readonly scheduleImpactDays: string | null;
  readonly grandTotal: string | null;
}

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

function clip(text: string): string {
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN - 1)}…`;
}
