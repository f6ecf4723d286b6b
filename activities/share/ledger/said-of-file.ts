// What was said of a file when it was dropped, as the sealed manifest has it: its own name, its folder, and
// its row in a register. Dropped again in the same way, a file says the same again.

import type { RegisterRules } from '../../../workflows/ingest/ingest-contract';
import { foldText } from '../../host/fold-text';
import { foldHeader, USUAL_FIELDS } from '../../registers/column-words';
import type { Manifest, ManifestFile } from '../batch/manifest';
import { textOf } from '../drop/name-values';

export interface SaidOfFile {
  readonly number: string | null;
  readonly revision: string | null;
  /** The text of its row's column Action. */
  readonly action?: string | undefined;
}

const ACTION = 'action';
const NUMBER = headersOf('number', 'document number', 'drawing number');
const REVISION = headersOf('revision');

/** What headers stand for on the share, and what says "leave it empty" in a cell. */
export type RegisterWording = Partial<Pick<RegisterRules, 'synonyms' | 'emptyWord'>>;

export function saidOfFile(
  { registers = [] }: Pick<Manifest, 'registers'>,
  { values, entry }: Pick<ManifestFile, 'values' | 'entry'>,
  { synonyms = {}, emptyWord }: RegisterWording = {},
): SaidOfFile {
  const meant = new Map(Object.entries(synonyms).map(([from, to]) => [foldHeader(from), foldHeader(to)]));
  const headers = (entry === undefined ? undefined : registers[entry.register]?.headers) ?? [];
  const cellOf = (wanted: ReadonlySet<string>): string | undefined => {
    const column = headers.map(foldHeader).findIndex(header => wanted.has(meant.get(header) ?? header));
    const text = entry?.row?.cells[column]?.trim() ?? '';
    return text === '' ? undefined : text;
  };
  const said = (wanted: ReadonlySet<string>, name: string): string | null => {
    const cell = cellOf(wanted);
    // "Leave it empty" goes before what the name says, too.
    const isLeftEmpty =
      cell !== undefined && emptyWord !== undefined && foldText(cell) === foldText(emptyWord);
    return isLeftEmpty ? null : (cell ?? textOf(values, name) ?? null);
  };
  const action = cellOf(new Set([ACTION]));
  return {
    number: said(NUMBER, 'number'),
    revision: said(REVISION, 'revision'),
    ...(action === undefined ? {} : { action }),
  };
}

/** Headers by which a column of one of these fields is known; the project's own labels are not known here. */
function headersOf(...names: readonly string[]): ReadonlySet<string> {
  const fields = USUAL_FIELDS.filter(({ name }) => names.includes(name));
  return new Set([...names, ...fields.map(({ label }) => label)].map(foldHeader));
}
