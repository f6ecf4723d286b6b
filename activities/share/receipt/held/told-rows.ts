// What people were told of earlier sheets of a job, for the one that is made next. Pure.
import type { Receipt } from '../../batch/kept-receipt';
import type { Answered, HeldMarks, SavedRows } from './held-marks';

/** The latest last. */
export function inTime({ saved }: HeldMarks): readonly SavedRows[] {
  return saved.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

/** Why the last correction of a row was not taken, in front of what it waits for. */
export function withRefused(
  receipts: readonly Receipt[],
  marks: HeldMarks,
  folder: string,
): readonly Receipt[] {
  const refusedOf = new Map<string, Answered['refused'][number] | undefined>();
  for (const { sha256, rows } of inTime(marks)) {
    const refused = marks.answered.get(sha256)?.refused ?? [];
    for (const { file } of rows)
      refusedOf.set(
        file,
        refused.find(each => each.file === file),
      );
  }
  return receipts.map(receipt => ({
    ...receipt,
    files: receipt.files.map(row => {
      const refused = refusedOf.get(row.path.slice(folder.length + 1));
      if (row.outcome !== 'held' || row.reason === undefined || refused === undefined) return row;
      const waits = refused.isUnasked === true ? 'It waits:' : 'It waits as before:';
      const text = `The correction was not taken: ${refused.why} ${waits} ${row.reason.text}`;
      return { ...row, reason: { ...row.reason, text } };
    }),
  }));
}

/** What is told beside the sheet. */
export function toNote(sheet: string, told: readonly string[], taken: number): string {
  const sum = taken === 0 ? 'Nothing of it was taken up.' : 'What is not named here was taken up.';
  return [`${sheet} was read.`, sum, '', ...told, ''].join('\r\n');
}
