// What was said of a file when it was dropped, as the sealed manifest has it: its own name, its folder, and
// its row in a register. Dropped again in the same way, a file says the same again.

import type { RegisterRules } from '../../../workflows/ingest/ingest-contract';
import { foldText } from '../../host/fold-text';
import { foldHeader, usualFieldOf } from '../../registers/column-words';
import type { Manifest, ManifestFile } from '../batch/manifest';
import { textOf } from '../drop/name-values';

export interface SaidOfFile {
  readonly number: string | null;
  readonly revision: string | null;
  /** What the document is called; absent where nobody says it, and the file's own name counts. */
  readonly name?: string | undefined;
  /** The text of its row's column Action. */
  readonly action?: string | undefined;
}

const ACTION = 'action';

/** What headers stand for on the share, and what says "leave it empty" in a cell. */
export type RegisterWording = Partial<Pick<RegisterRules, 'synonyms' | 'emptyWord'>>;

export function saidOfFile(
  { registers = [] }: Pick<Manifest, 'registers'>,
  { values, entry }: Pick<ManifestFile, 'values' | 'entry'>,
  { synonyms = {}, emptyWord }: RegisterWording = {},
): SaidOfFile {
  const meant = new Map(Object.entries(synonyms).map(([from, to]) => [foldHeader(from), foldHeader(to)]));
  const { headers = [] } = (entry === undefined ? undefined : registers[entry.register]) ?? {};
  const folded = headers.map(foldHeader).map(header => meant.get(header) ?? header);
  // The project's own labels are not known here.
  const columnOf = (name: string) =>
    folded.includes(name) ? folded.indexOf(name) : folded.findIndex(header => usualFieldOf(header) === name);
  const cellOf = (name: string): string | undefined => {
    const column = columnOf(name);
    const text = entry?.row?.cells[column]?.trim() ?? '';
    return text === '' ? undefined : text;
  };
  const said = (name: string): string | null => {
    const cell = cellOf(name);
    // "Leave it empty" goes before what the name says, too.
    const isLeftEmpty =
      cell !== undefined && emptyWord !== undefined && foldText(cell) === foldText(emptyWord);
    return isLeftEmpty ? null : (cell ?? textOf(values, name) ?? null);
  };
  const name = said('name');
  const action = cellOf(ACTION);
  return {
    number: said('number'),
    revision: said('revision'),
    ...(name === null ? {} : { name }),
    ...(action === undefined ? {} : { action }),
  };
}
