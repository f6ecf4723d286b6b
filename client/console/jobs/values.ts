// The values of a document, and where each of them is from, in people's words. Pure.
import { columnLetter } from '../../../activities/registers/sheet/column-letter';
import type { BatchDocuments } from '../../../activities/share/receipt/documents-so-far';
import { tellSource } from '../../../activities/share/receipt/tell-source';
import type { RowDetail } from '../contract/jobs';
import { texts } from '../texts/texts';

/** As they were sent; before that, what its row of the register and its name say. */
export function tellValues({ rows, sealed }: BatchDocuments, index: number): RowDetail['values'] {
  const row = rows[index];
  const file = sealed?.manifest.files[index];
  if (row !== undefined && row.stored.length > 0) {
    return row.stored.map(({ label, value, from }) => ({
      label,
      value,
      from: from === undefined ? null : tellSource(from, row.row),
    }));
  }
  const register = sealed?.manifest.registers?.[file?.entry?.register ?? -1];
  const cells = (file?.entry?.row?.cells ?? []).flatMap((value, at) => {
    const label = register?.headers[at] ?? '';
    if (label === '') return [];
    return [
      { label, value: value === '' ? null : value, from: tellSource(`row ${columnLetter(at)}`, row?.row) },
    ];
  });
  const told = new Set(cells.map(({ label, value }) => (value === null ? '' : label.toLowerCase())));
  const named = Object.entries(file?.values ?? {})
    // What the register says goes before it.
    .filter(([label]) => !told.has(label.toLowerCase()))
    .map(([label, value]) => ({
      label,
      value: typeof value === 'string' ? value : value.join(', '),
      from: texts.jobs.valueFromName,
    }));
  return [...cells, ...named];
}
