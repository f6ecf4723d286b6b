// Which file of a job is its register, and which of its rows is about which file. A job is the files that
// were dropped together: those of one folder at the top of the drop folder, or loose ones.

import { USUAL_FIELDS } from '../../registers/column-words';
import { findMarked } from '../../registers/corrections/marked-rows';
import { findRegister, type Register, type RegisterFinding } from '../../registers/find-register';
import { type FileMatches, matchFiles } from '../../registers/match-files';
import { listFileRows } from '../../registers/read-rows';
import { joinWords, quote, tellFault } from '../../registers/register-fault';
import type { RegisterNames } from '../../registers/register-name';
import type { SheetFile } from '../../registers/sheet/grid';
import { readSheet, requireFormat, sheetFormatOf } from '../../registers/sheet/read-sheet';
import { MOST_COLUMNS } from '../../registers/sheet/row-limits';
import { SheetError } from '../../registers/sheet/sheet-error';
import { SHEET_LIMITS } from '../../registers/sheet/sheet-limits';
import { comparePaths, folderOf, nameOf } from '../files/relative-path';

/** What the share's settings say of registers, as far as the share needs it. */
export interface RegisterWords {
  readonly isNamed: RegisterNames;
  /** Header to the name or label of a field. */
  readonly synonyms: Readonly<Record<string, string>>;
  /** What says "leave it empty" in a cell. */
  readonly emptyWord: string;
}

export interface JobRequest extends Pick<RegisterWords, 'isNamed' | 'synonyms'> {
  /** The folder's name; empty for loose files. */
  readonly name: string;
  /** All files of the job, relative to its folder. */
  readonly paths: readonly string[];
  /**
   * The bytes of one of them. @throws SheetError too-large for more than `mostBytes`, locked, torn; whatever
   * else it throws is passed on.
   */
  open(path: string, mostBytes: number): Promise<Buffer>;
}

export type JobRegister =
  /**
   * `receipts`: sheets of ours that came back, of whatever job; absent where there is none. `unread`: the
   * path of a sheet that may be the register, and may be whole, or free, a little later; else absent.
   */
  | {
      readonly kind: 'none';
      readonly looks: Looks;
      readonly receipts?: readonly string[];
      readonly unread?: string;
    }
  | {
      readonly kind: 'register';
      readonly path: string;
      readonly bytes: Buffer;
      readonly file: SheetFile;
      readonly register: Register;
      /** Rows and the job's other files. */
      readonly matches: FileMatches;
      readonly looks: Looks;
    }
  /**
   * Meant as a register, and not to be worked on: none of the job's files may go without what it says.
   * `mayPass`: it may be whole, or free, a little later.
   */
  | { readonly kind: 'faulty'; readonly path: string; readonly text: string; readonly mayPass: boolean };

/** Documents that somebody may have meant as a register, with why they were not taken for one. */
type Looks = ReadonlyMap<string, string>;

/** How many sheets are opened to see which is the register: a folder of calculations is not searched. */
const MOST_OPENED = 5;
/** How many with a register's name count, where those that lie nearest to the job's folder are met first. */
const MOST_NAMED = 20;
/** A larger sheet is taken for a register only when its name says so. */
const MOST_UNNAMED_BYTES = 2 * 1024 ** 2;

interface Sheet {
  readonly path: string;
  readonly bytes: Buffer;
  readonly file: SheetFile;
}

/**
 * Of several files with a register's name those nearest to the job's folder count, and of these the one that
 * can be read as a register: a transmittal's cover sheet often lies beside it. Those of a kind that is not
 * read count only where no other one lies as near.
 */
export async function findJobRegister(job: JobRequest): Promise<JobRegister> {
  const near = nearest(job.paths.filter(job.isNamed));
  const ofReadKind = near.filter(path => sheetFormatOf(path) !== undefined);
  const named = ofReadKind.length > 0 ? ofReadKind : near;
  if (named.length === 0) return await findUnnamed(job);
  if (named.length > MOST_OPENED) return severalRegisters(named);
  const tried: Tried[] = [];
  for (const path of named) tried.push(await tryNamed(job, path));
  const registers = tried.flatMap(one => (one.kind === 'register' ? [one] : []));
  const faulty = tried.flatMap(one => (one.kind === 'faulty' ? [one] : []));
  const passing = faulty.find(({ mayPass }) => mayPass);
  if (passing !== undefined) return passing;
  const [chosen, ...others] = registers;
  if (chosen === undefined && faulty[0] !== undefined) return faulty[0];
  // A sheet that cannot be read at all could be another register.
  if (chosen === undefined || others.length > 0 || faulty.some(({ isRead }) => !isRead)) {
    return severalRegisters(named);
  }
  const looks = new Map(faulty.map(({ path, text }) => [path, text]));
  return requireOneSheet(job, useRegister(job, chosen.sheet, chosen.finding, looks), chosen.finding);
}

type Finding = Extract<RegisterFinding, { kind: 'register' }>;

type Tried =
  | (Extract<JobRegister, { kind: 'faulty' }> & { readonly isRead: boolean })
  | { readonly kind: 'register'; readonly isRead: true; readonly sheet: Sheet; readonly finding: Finding };

async function tryNamed(job: JobRequest, path: string): Promise<Tried> {
  try {
    const sheet = await openSheet(job, path);
    const finding = findRegister(sheet.file, true, wordsOf(job));
    if (finding.kind === 'register') return { kind: 'register', isRead: true, sheet, finding };
    const text = finding.kind === 'unusable' ? finding.faults.map(tellFault).join(' ') : '';
    return { kind: 'faulty', isRead: true, path, text, mayPass: false };
  } catch (error) {
    if (!(error instanceof SheetError)) throw error;
    return { kind: 'faulty', isRead: false, path, text: error.message, mayPass: isPassing(error) };
  }
}

/** A sheet beside the files that has a column for them and one for a field. */
async function findUnnamed(job: JobRequest): Promise<JobRegister> {
  const sheets = job.paths.filter(isSheetBeside);
  const looks = new Map<string, string>();
  const receipts: string[] = [];
  const found: (readonly [Sheet, Finding])[] = [];
  let unread: string | undefined;
  if (sheets.length > MOST_OPENED) return { kind: 'none', looks };
  for (const path of sheets) {
    const sheet = await openUnnamed(job, path);
    if (sheet === 'unread') unread ??= path;
    if (typeof sheet !== 'object') continue;
    if (findMarked(sheet.file)?.rows.some(({ mark }) => mark !== undefined)) receipts.push(path);
    const finding = findRegister(sheet.file, false, wordsOf(job));
    if (finding.kind === 'register') found.push([sheet, finding]);
    else if (finding.kind === 'document' && finding.looks !== null) looks.set(path, finding.looks);
  }
  const [first, ...others] = found;
  const came = {
    ...(receipts.length === 0 ? {} : { receipts }),
    ...(unread === undefined ? {} : { unread }),
  };
  if (first === undefined) return { kind: 'none', looks, ...came };
  if (others.length > 0) return severalRegisters(found.map(([{ path }]) => path));
  const [sheet, finding] = first;
  const used = useRegister(job, sheet, finding, looks);
  // Lists of files are documents, too: this one says nothing of what came with it.
  if (used.kind === 'register' && used.matches.pairs.length > 0) return requireOneSheet(job, used, finding);
  const text =
    'It could be a register, but none of its rows is about a file that came with it, so it was taken for a document. If it is a register, put "register" into its name.';
  return { kind: 'none', looks: new Map([...looks, [sheet.path, text]]), ...came };
}

function isSheetBeside(path: string): boolean {
  return folderOf(path) === '' && sheetFormatOf(path) !== undefined;
}

/**
 * For who cannot keep all files of a job in mind: up to how many that may be its register this one is worth
 * keeping, by its path in the job alone; 0 for one that cannot be it. With so many it is found as among all.
 */
export function countsAmong(isNamed: RegisterNames, path: string): number {
  if (isNamed(path)) return MOST_OPENED + 1 + MOST_NAMED;
  return isSheetBeside(path) ? MOST_OPENED + 1 : 0;
}

async function openSheet(job: JobRequest, path: string): Promise<Sheet> {
  requireFormat(path);
  const bytes = await job.open(path, SHEET_LIMITS.packedBytes);
  return { path, bytes, file: await readSheet(bytes, path) };
}

/**
 * Undefined for one that cannot be read: without a register's name it is a document like any other. `unread`:
 * it cannot be read just now.
 */
async function openUnnamed(job: JobRequest, path: string): Promise<Sheet | 'unread' | undefined> {
  try {
    const bytes = await job.open(path, MOST_UNNAMED_BYTES);
    return { path, bytes, file: await readSheet(bytes, path) };
  } catch (error) {
    if (error instanceof SheetError) return isPassing(error) ? 'unread' : undefined;
    throw error;
  }
}

function useRegister(job: JobRequest, sheet: Sheet, { register }: Finding, looks: Looks): JobRegister {
  const { path } = sheet;
  const faulty = (text: string): JobRegister => ({ kind: 'faulty', path, text, mayPass: false });
  const fileColumns = register.columns.filter(({ meaning }) => meaning.kind === 'file');
  // Which columns are fields is known to the worker alone; what is wrong with those is told there.
  if (fileColumns.length !== 1 || register.rows.length === 0) {
    return faulty(register.faults.map(tellFault).join(' '));
  }
  if (register.columns.some(({ index, header }) => index >= MOST_COLUMNS && header !== '')) {
    return faulty(`The register has more than ${MOST_COLUMNS} columns. Delete those that nobody needs.`);
  }
  const rest = job.paths.filter(other => other !== path);
  return {
    kind: 'register',
    ...sheet,
    register,
    matches: matchFiles(listFileRows(register), rest, job.name),
    looks,
  };
}

/** A workbook may have a sheet for each issue: which one counts for a file that two list, nothing tells. */
function requireOneSheet(job: JobRequest, used: JobRegister, { readOthers }: Finding): JobRegister {
  if (used.kind !== 'register' || used.matches.pairs.length === 0) return used;
  const others = readOthers();
  if (others.length === 0) return used;
  const { path, register, matches } = used;
  const rows = others.flatMap((other, number) => listFileRows(other).map(({ file }) => ({ number, file })));
  const again = matchFiles(
    rows,
    job.paths.filter(file => file !== path),
    job.name,
  );
  const sheets = new Map([
    ...again.pairs.map(({ path: file, row }) => [file, others[row]?.sheet] as const),
    ...again.twice.map(({ path: file, rows: [row = 0] }) => [file, others[row]?.sheet] as const),
  ]);
  const both = matches.pairs.find(pair => sheets.has(pair.path))?.path;
  if (both === undefined) return used;
  const names = joinWords([register.sheet, sheets.get(both) ?? ''].map(quote));
  const text = `The sheets ${names} both list ${quote(both)}. Keep one of them: hide or delete the other.`;
  return { kind: 'faulty', path, text, mayPass: false };
}

function severalRegisters(paths: readonly string[]): JobRegister {
  const sorted = [...paths].sort(comparePaths);
  const names = joinWords(sorted.map(path => quote(path)));
  const text = `${names} could each be the register of these files. Keep one of them here, or give each its own folder with its files.`;
  return { kind: 'faulty', path: sorted[0] ?? '', text, mayPass: false };
}

function nearest(paths: readonly string[]): readonly string[] {
  const depthOf = (path: string) => path.split('/').length;
  const least = Math.min(...paths.map(depthOf));
  return paths.filter(path => depthOf(path) === least);
}

function wordsOf({ synonyms }: JobRequest) {
  return { fields: USUAL_FIELDS, isComplete: false, synonyms };
}

function isPassing({ code }: SheetError): boolean {
  return code === 'torn' || code === 'locked' || code === 'linked-twice';
}

/** The path of what is, or may be, the register, and may be read a little later; else undefined. */
export function passingOf(found: JobRegister): string | undefined {
  if (found.kind === 'none') return found.unread;
  return found.kind === 'faulty' && found.mayPass ? found.path : undefined;
}

/** `register.xlsx` as people read it in a sentence. */
export function nameRegister(path: string): string {
  return quote(nameOf(path));
}
