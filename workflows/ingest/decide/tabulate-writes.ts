// Field ids are 26 characters and the same for every document: payloads carry them once, as a table.
import type { FieldWrite } from '../ingest-contract';

/** A field's position in the table of field ids, and the value ids or texts to write. */
export type TabulatedWrite = readonly [field: number, values: readonly string[]];

export interface TabulatedWrites {
  readonly fieldIds: readonly string[];
  readonly rows: readonly (readonly TabulatedWrite[])[];
}

export function tabulateWrites(rows: readonly (readonly FieldWrite[])[]): TabulatedWrites {
  const positions = new Map<string, number>();
  const positionOf = (fieldId: string): number => {
    const known = positions.get(fieldId);
    if (known !== undefined) return known;
    positions.set(fieldId, positions.size);
    return positions.size - 1;
  };
  const tabulated = rows.map(row => row.map(write => [positionOf(write.fieldId), write.values] as const));
  return { fieldIds: [...positions.keys()], rows: tabulated };
}

/** Throws a RangeError for a position outside the table: half a document must never be written. */
export function expandWrites(
  fieldIds: readonly string[],
  row: readonly TabulatedWrite[],
): readonly FieldWrite[] {
  return row.map(([position, values]) => {
    const fieldId = fieldIds[position];
    if (fieldId === undefined) throw new RangeError(`No field at position ${position} of ${fieldIds.length}`);
    return { fieldId, values };
  });
}
