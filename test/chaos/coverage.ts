// What really came about: which kind of fault struck which route, and how often each decisive cell
// was hit. Counted from the stand-in's log, its book of faults and what was found on the share; what
// was only ordered does not count.
import type { Operation, OrderedFault } from '../sandbox/control';
import { isSilent } from './fault-kinds';

/** The fewest hits of a decisive cell that prove anything. */
export const LEAST_HITS = 20;

/** The decisive cells of the fault matrix, with what one hit is. */
export const CELLS: Readonly<Record<number, { readonly about: string; readonly unit: string }>> = {
  1: { about: 'the outcome of a submission is not told', unit: 'submissions' },
  2: { about: 'a 404 that can mean consumed, hidden or taken', unit: 'uploads looked at' },
  3: { about: 'partial answers: in neither list of the 207, in failures[] of the 201', unit: 'documents' },
  4: { about: 'one document has a whole request refused', unit: 'requests' },
  5: { about: 'killed between success and receipt, and the run forgotten', unit: 'documents' },
  6: { about: 'a batch is started again: same id, other input, random id', unit: 'starts' },
  7: { about: 'overlapping attempts: a worker believed dead goes on', unit: 'activities' },
  8: { about: 'a file changes after its claim, ids change places', unit: 'documents' },
  9: { about: 'an address or the sent bytes expired', unit: 'files' },
  10: { about: 'dropped behind a watcher that is dead, or whose folder was replaced', unit: 'files' },
  11: { about: 'the token exchange is lost, or several find the token expired', unit: 'exchanges' },
  12: { about: 'same-named files meet: dropped again, or at their destination', unit: 'documents' },
  13: { about: 'an outage in the middle of a batch', unit: 'batches waiting' },
  14: { about: 'odd names, answers of another form', unit: 'names and answers' },
};

export interface CaseCoverage {
  /** Strikes by `kind route`. */
  readonly strikes: ReadonlyMap<string, number>;
  readonly cells: ReadonlyMap<number, number>;
}

export interface CoverageInput {
  readonly operations: readonly Operation[];
  readonly faults: readonly OrderedFault[];
  /** Files sent and forgotten before they were linked. */
  readonly expiredFiles: number;
  readonly oddNames: number;
  /** What the deeds brought about. */
  readonly hits: ReadonlyMap<number, number>;
}

export function coverCase(input: CoverageInput): CaseCoverage {
  const strikes = new Map<string, number>();
  const fired = (matches: (fault: OrderedFault) => boolean): number =>
    input.faults.reduce((sum, fault) => (matches(fault) ? sum + fault.fired : sum), 0);
  for (const { action, route, fired: times } of input.faults) {
    if (times > 0) add(strikes, `${action.kind} ${route}`, times);
  }
  const kind = (...kinds: readonly string[]) => fired(({ action }) => kinds.includes(action.kind));
  const cells = new Map(input.hits);
  add(
    cells,
    1,
    fired(({ route, action }) => route === 'revisions.create' && isSilent(action)),
  );
  add(cells, 2, countAmbiguous(input.operations));
  add(cells, 3, kind('drop-from-207', 'item-failure'));
  add(cells, 4, kind('request-refusal'));
  add(cells, 8, kind('swap-ids'));
  add(cells, 9, kind('expired-url') + input.expiredFiles);
  add(cells, 11, fired(({ route }) => route === 'oauth.token') + countExpiries(input.operations));
  add(cells, 14, kind('malformed') + input.oddNames);
  return { strikes, cells };
}

/** Reads of uploads that are hidden, consumed or taken away at that moment: each upload once. */
function countAmbiguous(operations: readonly Operation[]): number {
  const visible = new Set<string>();
  const known = new Set<string>();
  const looked = new Set<string>();
  for (const { kind, route, what, detail } of operations) {
    const uploadId = String(detail?.uploadId);
    if (what === 'uploads-created') {
      for (const { uploadId: id } of (detail?.uploads ?? []) as { uploadId: string }[]) known.add(id);
    } else if (what === 'upload-completed') visible.add(uploadId);
    else if (what === 'revision-created' || what === 'delete-upload' || what === 'submit-upload') {
      visible.delete(uploadId);
    }
    if (kind !== 'request' || (route !== 'uploads.show' && route !== 'uploads.selected')) continue;
    for (const id of (detail?.uploads ?? []) as string[]) {
      if (known.has(id) && !visible.has(id)) looked.add(id);
    }
  }
  return looked.size;
}

/** Times that at least two requests in a row were answered 401 before a new token was fetched. */
function countExpiries(operations: readonly Operation[]): number {
  let refused = 0;
  let count = 0;
  for (const { kind, route, status } of operations) {
    if (kind !== 'request') continue;
    if (route === 'oauth.token') refused = 0;
    else if (status === 401) {
      refused += 1;
      if (refused === 2) count += 1;
    }
  }
  return count;
}

/** The sum over cases. */
export function sumCoverage(cases: readonly CaseCoverage[]): CaseCoverage {
  const strikes = new Map<string, number>();
  const cells = new Map<number, number>();
  for (const each of cases) {
    for (const [key, count] of each.strikes) add(strikes, key, count);
    for (const [cell, count] of each.cells) add(cells, cell, count);
  }
  return { strikes, cells };
}

/** Cells that were hit too seldom. */
export function findThinCells(coverage: CaseCoverage): { readonly cell: number; readonly hits: number }[] {
  return Object.keys(CELLS)
    .map(Number)
    .map(cell => ({ cell, hits: coverage.cells.get(cell) ?? 0 }))
    .filter(({ hits }) => hits < LEAST_HITS);
}

/** The two tables that people are shown: kinds by route, and the decisive cells. */
export function tabulateCoverage({ strikes, cells }: CaseCoverage): string[] {
  const routes = [...new Set([...strikes.keys()].map(key => key.split(' ')[1] ?? ''))].sort();
  const kinds = [...new Set([...strikes.keys()].map(key => key.split(' ')[0] ?? ''))].sort();
  const widths = routes.map(route => route.length + 2);
  const row = (first: string, values: readonly string[]) =>
    `  ${first.padEnd(20)}${values.map((value, at) => value.padStart(widths[at] ?? 0)).join('')}`;
  return [
    '  Strikes by kind of fault and route',
    row('', routes),
    ...kinds.map(kind =>
      row(
        kind,
        routes.map(route => String(strikes.get(`${kind} ${route}`) ?? '.')),
      ),
    ),
    '',
    '  Decisive cells',
    ...Object.entries(CELLS).map(
      ([cell, { about, unit }]) =>
        `  ${cell.padStart(4)}  ${String(cells.get(Number(cell)) ?? 0).padStart(6)} ${unit.padEnd(20)} ${about}`,
    ),
  ];
}

function add<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
