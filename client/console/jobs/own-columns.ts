// The columns of a job's own registers, as people have them, and what stands there of each document. Pure.
import type { SeenJob } from './seen-job';
import type { SeenRow } from './to-rows';

const MOST_COLUMNS = 200;

/** Of all its registers, in their order, each once. */
export function listColumns({ parts }: Pick<SeenJob, 'parts'>): string[] {
  const headers = parts
    .flatMap(({ sealed }) => sealed?.manifest.registers ?? [])
    .flatMap(register => register.headers);
  return [...new Set(headers.filter(header => header.trim() !== ''))].slice(0, MOST_COLUMNS);
}

/** null for an empty cell, and for what no register has. */
export function cellsOf({ of }: Pick<SeenRow, 'of'>, columns: readonly string[]): (string | null)[] {
  const manifest = of?.part.sealed?.manifest;
  const entry = of === undefined ? undefined : manifest?.files[of.index]?.entry;
  const headers = manifest?.registers?.[entry?.register ?? -1]?.headers ?? [];
  return columns.map(column => entry?.row?.cells[headers.indexOf(column)] || null);
}
