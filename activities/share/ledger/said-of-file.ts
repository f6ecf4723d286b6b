// What was said of a file when it was dropped, as the sealed manifest has it: its own name, its folder, and
// its row in a register. Dropped again in the same way, a file says the same again.
import { foldHeader, USUAL_FIELDS } from '../../registers/column-words';
import type { Manifest, ManifestFile } from '../batch/manifest';
import { textOf } from '../revision-order/document-keys';

export interface SaidOfFile {
  readonly number: string | null;
  readonly revision: string | null;
  /** The text of its row's column Action. */
  readonly action?: string | undefined;
}

const ACTION = 'action';
const NUMBER = headersOf('number', 'document number', 'drawing number');
const REVISION = headersOf('revision');

/** @param synonyms of the share: what headers stand for. */
export function saidOfFile(
  { registers = [] }: Pick<Manifest, 'registers'>,
  { values, entry }: Pick<ManifestFile, 'values' | 'entry'>,
  synonyms: Readonly<Record<string, string>> = {},
): SaidOfFile {
  const meant = new Map(Object.entries(synonyms).map(([from, to]) => [foldHeader(from), foldHeader(to)]));
  const headers = (entry === undefined ? undefined : registers[entry.register]?.headers) ?? [];
  const cellOf = (wanted: ReadonlySet<string>): string | undefined => {
    const column = headers.map(foldHeader).findIndex(header => wanted.has(meant.get(header) ?? header));
    const text = entry?.row?.cells[column]?.trim() ?? '';
    return text === '' ? undefined : text;
  };
  const action = cellOf(new Set([ACTION]));
  return {
    number: cellOf(NUMBER) ?? textOf(values, 'number') ?? null,
    revision: cellOf(REVISION) ?? textOf(values, 'revision') ?? null,
    ...(action === undefined ? {} : { action }),
  };
}

/** By which a column of one of these fields is known, where the project's own labels are not. */
function headersOf(...names: readonly string[]): ReadonlySet<string> {
  const fields = USUAL_FIELDS.filter(({ name }) => names.includes(name));
  return new Set([...names, ...fields.map(({ label }) => label)].map(foldHeader));
}
