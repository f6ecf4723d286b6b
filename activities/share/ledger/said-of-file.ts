// What was said of a file when it was dropped, as the sealed manifest has it: its own name, its folder, and
// its row in a register. Dropped again in the same way, a file says the same again.

import type { Manifest, ManifestFile } from '../batch/manifest';
import type { DocumentField, DocumentWords } from '../drop/document-words';

export interface SaidOfFile {
  readonly number: string | null;
  readonly revision: string | null;
  /** What the document is called; absent where nobody says it, and the file's own name counts. */
  readonly name?: string | undefined;
  /** The text of its row's column Action. */
  readonly action?: string | undefined;
}

export function saidOfFile(
  { registers = [] }: Pick<Manifest, 'registers'>,
  { values, entry }: Pick<ManifestFile, 'values' | 'entry'>,
  words: DocumentWords,
): SaidOfFile {
  const { headers = [] } = (entry === undefined ? undefined : registers[entry.register]) ?? {};
  const cells = entry?.row?.cells ?? [];
  const said = (field: DocumentField): string | null => {
    const cell = words.cellOf(headers, cells, field);
    // "Leave it empty" goes before what the name says, too.
    if (cell !== undefined && words.isLeftEmpty(cell)) return null;
    return cell ?? words.textOf(values, field) ?? null;
  };
  const name = said('name');
  const action = words.cellOf(headers, cells, 'action');
  return {
    number: said('number'),
    revision: said('revision'),
    ...(name === null ? {} : { name }),
    ...(action === undefined ? {} : { action }),
  };
}
