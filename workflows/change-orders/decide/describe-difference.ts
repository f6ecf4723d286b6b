// What does not stand in a change order as it was asked for, in words.

/** What an input can ask of a change order, of whichever kind. Money is decimal text. */
export interface AskedFields {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** YYYY-MM-DD. */
  readonly dueDate?: string | undefined;
  readonly scheduleImpactDays?: number | undefined;
  readonly grandTotal?: string | undefined;
}

export interface Difference {
  readonly field: keyof AskedFields;
  /** For people: the beginning of a long text. */
  readonly shown: string | null;
  readonly wanted: string;
}

const NAMES: Readonly<Record<keyof AskedFields, string>> = {
  title: 'title',
  description: 'description',
  dueDate: 'due date',
  scheduleImpactDays: 'schedule impact',
  grandTotal: 'amount',
};

/** In people's words: `what` is "request 620001". */
export function describeDifference(what: string, { field, shown, wanted }: Difference): string {
  const have = shown === null || shown === '' ? 'nothing' : `"${shown}"`;
  return `The ${what} has ${have} as its ${NAMES[field]}, not "${wanted}".`;
}
