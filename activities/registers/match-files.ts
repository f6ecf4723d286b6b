// Which row of a register is about which file of the job's folder.
import { editDistance } from '../host/edit-distance';

/** What the column for the file says in one row. */
export interface FileRow {
  /** As the spreadsheet program counts. */
  readonly number: number;
  /** As it is written; empty where the row names no file. */
  readonly file: string;
}

export interface FileMatches {
  /** In the order of the rows. */
  readonly pairs: readonly { readonly row: number; readonly path: string }[];
  /**
   * Those of `pairs` whose row leaves out folders or the ending, where that is no habit of its register:
   * while files still come, the one that it means may not be there yet. In the order of the rows.
   */
  readonly doubtful: readonly { readonly row: number; readonly file: string; readonly path: string }[];
  /** Rows whose file is not there; `nearest` are paths that the row may have meant. */
  readonly missing: readonly {
    readonly row: number;
    readonly file: string;
    readonly nearest: readonly string[];
  }[];
  /** Rows with an empty cell for the file. */
  readonly unnamed: readonly number[];
  /** Rows that could mean several files. */
  readonly ambiguous: readonly { readonly row: number; readonly paths: readonly string[] }[];
  /** Files that several rows are about: none of these rows counts. */
  readonly twice: readonly { readonly path: string; readonly rows: readonly number[] }[];
  /** Files that no row could mean, in the order of `paths`. */
  readonly unlisted: readonly string[];
}

/** From a way of writing a file to the paths that may be written so. */
type Index = ReadonlyMap<string, readonly string[]>;

/** One way of writing files: what it leaves out of their paths. */
interface Way {
  readonly index: Index;
  readonly isWithoutFolders: boolean;
  readonly isWithoutEnding: boolean;
}

interface Fit {
  readonly way: Way;
  readonly paths: readonly string[];
}

interface Found {
  readonly row: number;
  readonly file: string;
  /** Undefined where no file fits. */
  readonly way: Way | undefined;
  /** All that fit. */
  readonly paths: readonly string[];
}

/** Comparisons of names for suggestions: all rows with all files would take minutes. */
const MOST_COMPARED = 20_000;
const MOST_SLIPS = 3;
const MOST_NEAREST = 3;
/** Folders above a file that may be left out; deeper ones are not looked at. */
const MOST_DEPTH = 32;

/**
 * Matches rows to `paths`, which are relative to the job's folder, with `/`. A row may write its file with
 * `/` or `\`, in any case and Unicode form, from the job's folder or from a drive on, without its ending and
 * without folders above it. The closest way of writing that fits any file decides; where it fits several, the
 * row is ambiguous. A folder in the job may be called like the job: a path that fits one file from that
 * folder on, and another from the job's, is ambiguous as well.
 */
export function matchFiles(rows: readonly FileRow[], paths: readonly string[], jobName: string): FileMatches {
  const ways = listWays(paths);
  const found = rows.map(({ number, file }): Found => {
    const fitting = lookUp(readingsOf(file, jobName), ways);
    return { row: number, file, way: fitting?.way, paths: fitting?.paths ?? [] };
  });
  const single = found.flatMap(({ row, paths: fitting }) =>
    fitting.length === 1 && fitting[0] !== undefined ? [{ row, path: fitting[0] }] : [],
  );
  const rowsByPath = new Map<string, number[]>();
  for (const { path } of single) rowsByPath.set(path, []);
  for (const { row, path } of single) rowsByPath.get(path)?.push(row);
  // Rows that are written alike share one list: thousands of them may each mean any of thousands of files.
  const meant = new Set([...new Set(found.map(({ paths: fitting }) => fitting))].flat());
  const pairs = single.filter(({ path }) => rowsByPath.get(path)?.length === 1);
  const inDoubt = new Map(listDoubtful(found, meant).map(({ row, file }) => [row, file]));
  const unlisted = paths.filter(path => !meant.has(path));
  const missing = found.filter(({ file, paths: fitting }) => file.trim() !== '' && fitting.length === 0);
  const suggest = suggestFrom(unlisted);
  return {
    pairs,
    doubtful: pairs.flatMap(({ row, path }) => {
      const file = inDoubt.get(row);
      return file === undefined ? [] : [{ row, file, path }];
    }),
    missing: missing.map(({ row, file }) => ({
      row,
      file,
      nearest: suggest(readingsOf(file, jobName).at(-1) ?? ''),
    })),
    unnamed: found.filter(({ file }) => file.trim() === '').map(({ row }) => row),
    ambiguous: found
      .filter(({ paths: fitting }) => fitting.length > 1)
      .map(({ row, paths: fitting }) => ({ row, paths: fitting })),
    twice: [...rowsByPath]
      .filter(([, numbers]) => numbers.length > 1)
      .map(([path, numbers]) => ({ path, rows: numbers })),
    unlisted,
  };
}

/**
 * It is a habit of a register to leave out folders, where all rows do so and there is more than one; and
 * to leave out endings, where all files that rows could mean have the same. A row that found no file says
 * nothing of it.
 */
function listDoubtful(found: readonly Found[], meant: ReadonlySet<string>): readonly Found[] {
  const fitting = found.filter(({ way }) => way !== undefined);
  const isEveryWithoutFolders = fitting.length > 1 && fitting.every(({ way }) => way?.isWithoutFolders);
  const isOneEnding = new Set([...meant].map(endingOf)).size <= 1;
  return fitting.filter(
    ({ way }) => (way?.isWithoutFolders && !isEveryWithoutFolders) || (way?.isWithoutEnding && !isOneEnding),
  );
}

/** From the closest way of writing to the loosest. */
function listWays(paths: readonly string[]): readonly Way[] {
  const whole = { isWithoutFolders: false, isWithoutEnding: false };
  return [
    { ...whole, index: indexBy(paths, path => [path.normalize('NFC')]) },
    { ...whole, index: indexBy(paths, path => [fold(path)]) },
    { ...whole, index: indexBy(paths, path => [withoutEnding(fold(path))]), isWithoutEnding: true },
    { ...whole, index: indexBy(paths, path => tailsOf(fold(path))), isWithoutFolders: true },
    {
      index: indexBy(paths, path => tailsOf(withoutEnding(fold(path)))),
      isWithoutFolders: true,
      isWithoutEnding: true,
    },
  ];
}

function indexBy(paths: readonly string[], waysOf: (path: string) => readonly string[]): Index {
  const index = new Map<string, string[]>();
  for (const path of paths) {
    for (const way of waysOf(path)) {
      const known = index.get(way);
      if (known === undefined) index.set(way, [path]);
      else known.push(path);
    }
  }
  return index;
}

/**
 * A reading that fits from the job's folder on goes before one that leaves folders out. Rows that are written
 * alike share one list of many files: it is not copied.
 */
function lookUp(readings: readonly string[], ways: readonly Way[]): Fit | undefined {
  const whole = ways.filter(({ isWithoutFolders }) => !isWithoutFolders);
  const [written, ...cut] = readings.map(reading => fitOf(reading, whole));
  const behind = cut.find(fit => fit !== undefined);
  if (written === undefined) return behind ?? fitOf(readings.at(-1) ?? '', ways);
  if (behind === undefined || written.paths.length > 1) return written;
  return behind.paths.length > 1 ? behind : { ...written, paths: [...written.paths, ...behind.paths] };
}

function fitOf(file: string, ways: readonly Way[]): Fit | undefined {
  if (file === '') return undefined;
  const folded = fold(file);
  for (const [at, way] of ways.entries()) {
    const paths = way.index.get(at === 0 ? file : folded);
    if (paths !== undefined) return { way, paths };
  }
  return undefined;
}

/** With `/`: as it is written, and from behind each folder that is called like the job. */
function readingsOf(file: string, jobName: string): readonly string[] {
  const path = file
    .normalize('NFC')
    .trim()
    .replaceAll('\\', '/')
    .replace(/^(\.?\/)+/, '');
  if (jobName === '') return [path];
  const job = fold(jobName);
  const parts = path.split('/');
  const starts = parts.flatMap((part, at) => (at < parts.length - 1 && fold(part) === job ? [at + 1] : []));
  return [path, ...starts.slice(-MOST_DEPTH).map(at => parts.slice(at).join('/'))];
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** `A-1.pdf` and `A-1` of `plans/A-1.pdf`; a name that is all ending keeps it. */
export function withoutEnding(path: string): string {
  return path.replace(/(?<=[^/])\.[^./]{1,10}$/, '');
}

/** `.pdf` of `plans/A-1.PDF`. */
function endingOf(path: string): string {
  const folded = fold(path);
  return folded.slice(withoutEnding(folded).length);
}

/** What is left of a path when folders above are left out. */
function tailsOf(path: string): readonly string[] {
  const tails: string[] = [];
  for (let at = path.length; at >= 0 && tails.length < MOST_DEPTH; ) {
    at = at === 0 ? -1 : path.lastIndexOf('/', at - 1);
    // Slices of one string share its memory.
    tails.push(path.slice(at + 1));
  }
  return tails;
}

/** Files whose name is like the one that a row has; nothing once there was enough comparing. */
function suggestFrom(paths: readonly string[]): (file: string) => readonly string[] {
  const named = paths.map(path => ({ path, name: bareName(path) }));
  let comparisonsLeft = MOST_COMPARED;
  return file => {
    comparisonsLeft -= named.length;
    if (comparisonsLeft < 0) return [];
    const wanted = bareName(file);
    const most = Math.max(1, Math.min(MOST_SLIPS, Math.floor(wanted.length / 3)));
    return named
      .map(({ path, name }) => ({ path, distance: editDistance(wanted, name) }))
      .filter(({ distance }) => distance <= most)
      .sort((one, other) => one.distance - other.distance)
      .slice(0, MOST_NEAREST)
      .map(({ path }) => path);
  };
}

function bareName(path: string): string {
  const name = withoutEnding(fold(path));
  return name.slice(name.lastIndexOf('/') + 1);
}
