// From a change order as a person writes it to the parts that are made, each with an origin id of its own;
// and whether what the service shows afterwards is what was wanted.
import { isSameText } from '../../run/decide/same-text';
import { isSameMoney, isSameToTheCent, productOf, sumOf } from './exact-money';

interface Keyed {
  readonly key?: string | undefined;
}

export interface LineInput extends Keyed {
  readonly description: string;
  readonly amount?: string | undefined;
  readonly quantity?: string | undefined;
  readonly unitCost?: string | undefined;
  readonly unit?: string | undefined;
  readonly costCodeId?: string | undefined;
  readonly wbsCodeId?: string | undefined;
  readonly lineItemTypeId?: string | undefined;
  readonly taxCodeId?: string | undefined;
}

export interface PlannedLine {
  readonly originId: string;
  readonly fields: Omit<LineInput, 'key'> & { readonly extendedType: 'manual' | 'calculated' };
  /** Exact; the service rounds to cents. */
  readonly amount: string;
}

/** Parts with their origin ids: the parent's, and the part's key or its place. */
export function withOriginIds<Part extends Keyed>(
  parent: string,
  letter: 'r' | 'p' | 'l',
  parts: readonly Part[],
): readonly (readonly [originId: string, part: Part])[] {
  return parts.map((part, index) => [`${parent}/${part.key ?? `${letter}${index + 1}`}`, part]);
}

/** The origin ids of parts alone; two that are alike are a fault of the input (faults-of-parts.ts). */
export function originIdsOf(
  parent: string,
  letter: 'r' | 'p' | 'l',
  parts: readonly Keyed[],
): readonly string[] {
  return withOriginIds(parent, letter, parts).map(([originId]) => originId);
}

export function planLines(parent: string, lines: readonly LineInput[]): readonly PlannedLine[] {
  return withOriginIds(parent, 'l', lines).map(([originId, { key: _, ...fields }]) => {
    const { amount, quantity, unitCost } = fields;
    const isCalculated = quantity !== undefined && unitCost !== undefined;
    return {
      originId,
      fields: { ...fields, extendedType: isCalculated ? 'calculated' : 'manual' },
      amount: isCalculated ? productOf(quantity, unitCost) : (amount ?? '0'),
    };
  });
}

export interface ShownLine {
  readonly originId: string | null;
  readonly amount: string | null;
  /** null where the service does not show it. */
  readonly quantity: string | null;
  readonly unitCost: string | null;
  readonly description: string;
}

/**
 * What is not as wanted, in people's words; other people's line items are only counted. `isSame`: whether two
 * descriptions say the same.
 */
export function checkLines(
  wanted: readonly PlannedLine[],
  shown: readonly ShownLine[],
  shownTotal: string | null,
  isSame: (shown: string, wanted: string) => boolean = isSameText,
): readonly string[] {
  const faults: string[] = [];
  for (const { originId, amount, fields } of wanted) {
    const found = shown.filter(line => line.originId === originId);
    const [only] = found;
    if (only === undefined) faults.push(`The line item "${fields.description}" is not there.`);
    else if (found.length > 1)
      faults.push(`The line item "${fields.description}" is there ${found.length} times.`);
    else if (only.amount === null || !isSameToTheCent(only.amount, amount)) {
      faults.push(
        `The line item "${fields.description}" is ${only.amount ?? 'without an amount'}, not ${amount}.`,
      );
    } else {
      faults.push(...checkParts(only, fields));
      if (!isSame(only.description, fields.description)) {
        const called = only.description.slice(0, 80);
        faults.push(`The line item "${fields.description}" is called "${called}".`);
      }
    }
  }
  const amounts = shown.flatMap(({ amount }) => (amount === null ? [] : [amount]));
  if (
    shownTotal !== null &&
    amounts.length === shown.length &&
    !isSameToTheCent(sumOf(amounts), shownTotal)
  ) {
    faults.push(`The line items add up to ${sumOf(amounts)}, but the total is ${shownTotal}.`);
  }
  return faults;
}

/** Beyond the amount, which can be right where its parts are not: 2 at 50 is not 4 at 25. */
function checkParts(shown: ShownLine, fields: PlannedLine['fields']): readonly string[] {
  const parts = [
    ['quantity', shown.quantity, fields.quantity],
    ['unit cost', shown.unitCost, fields.unitCost],
  ] as const;
  return parts.flatMap(([name, have, want]) =>
    have === null || want === undefined || isSameMoney(have, want)
      ? []
      : [`The line item "${fields.description}" has the ${name} ${have}, not ${want}.`],
  );
}

/** Those that carry this origin but are not wanted any more. */
export function leftOver<Shown extends { readonly originId: string | null }>(
  parent: string,
  wanted: readonly { readonly originId: string }[],
  shown: readonly Shown[],
): readonly Shown[] {
  const ids = new Set(wanted.map(({ originId }) => originId));
  return shown.filter(({ originId }) => originId?.startsWith(`${parent}/`) === true && !ids.has(originId));
}

/** What people read of a line item that is still there though the input no longer has it. */
export function explainLeftLine({ description, amount }: ShownLine): string {
  return `The line item "${description.slice(0, 80)}" (${amount ?? 'no amount'}) is still there, and the input no longer has it; with "removeOtherLineItems" it is removed.`;
}
