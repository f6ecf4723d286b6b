// The registers of claimed files. A job has its register read already, for all its batches. Files that were
// claimed by themselves may have theirs among them: it is read where it was claimed to, so that nobody
// changes it any more, and is no document itself.
import type { Reason } from '../../../workflows/contract';
import { SheetError } from '../../registers/sheet/sheet-error';
import type { JobOfBatch, ManifestFile, ManifestRegister } from '../batch/manifest';
import { DocumentWords } from '../drop/document-words';
import { explainFileRefusal } from '../drop/refuse-file';
import type { OnNotOurs } from '../files/own-marks';
import { topOf } from '../files/relative-path';
import { ShareError } from '../files/share-error';
import type { ShareLayout } from '../files/share-layout';
import { findJob } from '../jobs/job-book';
import type { JobRecord } from '../jobs/job-record';
import type { KeptRegisters } from '../jobs/kept-register';
import { listRowsTaken } from '../jobs/rows-taken';
import { describeEntries, describeOrder, describeRegister, orderByRows } from '../register/describe-job';
import {
  findJobRegister,
  type JobRegister,
  passingOf,
  type RegisterWords,
} from '../register/find-job-register';
import { matchPart } from '../register/match-part';
import { openSheetFile } from '../register/open-sheet';
import { isAlone, isLater, isReceipt, isUnusable } from '../register/register-refusal';
import type { ClaimedBatch, ClaimedFile } from './claim-files';

/** What the manifest says of a file besides what is known of it without a register. */
export interface AboutFile {
  readonly entry?: NonNullable<ManifestFile['entry']>;
  readonly looks?: string;
  readonly refused?: Reason;
  /**
   * Name, number and revision as its row has them: they order it among revisions, before what the file's name
   * says.
   */
  readonly order?: Readonly<Record<string, string>>;
}

export interface JobRegisters {
  readonly registers: readonly ManifestRegister[];
  /** The files that may become documents, in their order in the manifest. */
  readonly documents: readonly ClaimedFile[];
  about(file: ClaimedFile): AboutFile;
  /** Files that came with the same register, it among them; undefined for one that came with none. */
  companionsOf(file: ClaimedFile): readonly ClaimedFile[] | undefined;
  /** They go back to settle anew: their register is still being saved, or open elsewhere. */
  readonly unsettled: readonly ClaimedFile[];
}

interface Job {
  readonly name: string;
  readonly files: readonly ClaimedFile[];
}

/** With its sheet, as it was read. */
export type FoundRegister = Extract<JobRegister, { kind: 'register' }>;

interface Reading {
  readonly words: RegisterWords;
  readonly kept: KeptRegisters;
  readonly onNotOurs: OnNotOurs;
  readonly maxFileBytes: number;
  /** Whether a register that cannot be read now is waited for. */
  mayWait(register: ClaimedFile): boolean;
}

/** @throws ShareError of the whole share; `batch-damaged` when the record of the job is gone. */
export async function readJobRegisters(
  layout: ShareLayout,
  batch: ClaimedBatch,
  reading: Reading,
): Promise<JobRegisters> {
  if (batch.job !== undefined) {
    const result = new Collected();
    await addPart(layout, batch, batch.job, reading, result);
    return result;
  }
  const open: OpenFile = (file, mostBytes) => openSheetFile(layout, batch.paths.files, file, mostBytes);
  return await readRegistersAmong(batch.files, open, reading);
}

type OpenFile = (file: ClaimedFile, mostBytes: number) => Promise<Buffer>;

/**
 * The registers among files that are all at hand, one at most for each top folder.
 * @param open throws SheetError, and ShareError of the whole share.
 */
export async function readRegistersAmong(
  files: readonly ClaimedFile[],
  open: OpenFile,
  { words, maxFileBytes, mayWait }: Pick<Reading, 'words' | 'maxFileBytes' | 'mayWait'>,
): Promise<JobRegisters & { readonly found: readonly FoundRegister[] }> {
  const result = new Collected();
  for (const job of listJobs(files)) {
    const found = await findJobRegister({
      name: job.name,
      paths: job.files.flatMap(file => (file.bytes === undefined ? [pathInJob(job, file)] : [])),
      ...words,
      open: async (path, mostBytes) => {
        const file = fileAt(job, path);
        requireFit(file, maxFileBytes);
        return await open(file, mostBytes);
      },
    });
    const passing = passingOf(found);
    if (found.kind === 'register') result.addRegister(job, found, words);
    else if (passing !== undefined && mayWait(fileAt(job, passing))) result.unsettled.push(...job.files);
    else if (found.kind === 'none') result.addPlain(job, found.looks, job.name === '' ? found.receipts : []);
    else result.addFaulty(job, found.path, found.text);
  }
  return result;
}

/** What the record of their job says of the files of one of its batches. */
async function addPart(
  layout: ShareLayout,
  batch: ClaimedBatch,
  { id, name }: JobOfBatch,
  { kept, words, onNotOurs }: Reading,
  result: Collected,
): Promise<void> {
  const known = await findJob(layout, id, onNotOurs);
  // Without it nobody knows whether they have a register: sent so, they could be wrong for good.
  if (known === undefined) throw new ShareError('batch-damaged', `The record of the job ${name} is gone.`);
  const { record, paths } = known;
  const job = { name: record.folder ?? '', files: batch.files };
  const { register, unusable, looks = [] } = record;
  if (unusable !== undefined) {
    result.addUnusable(job, unusable);
    return;
  }
  if (register === undefined) {
    result.addPlain(job, new Map(looks.map(({ path, text }) => [path, text])));
    return;
  }
  const read = await kept.read(layout, paths, register);
  const parts = job.files.flatMap(file => (file.bytes === undefined ? [pathInJob(job, file)] : []));
  const documents = parts.filter(path => path !== register.path);
  const matches = await matchPart(read.register, register, documents, job.name, () =>
    listRowsTaken(layout, paths, batch.batchId),
  );
  const found: FoundRegister = {
    kind: 'register',
    path: register.path,
    ...read,
    matches,
    looks: new Map(looks.map(({ path, text }) => [path, text])),
  };
  result.addOfJob(job, found, record, words);
}

/** The values that order a document: those of its row in place of those of its name. */
export function orderedBy(values: ManifestFile['values'], order: AboutFile['order']): ManifestFile['values'] {
  if (order === undefined) return values;
  const ofName = Object.entries(values).filter(([name]) => !Object.hasOwn(order, name.toLowerCase()));
  return { ...Object.fromEntries(ofName), ...order };
}

/** The manifest's files and registers: a register all of whose files went back is left out. */
export function keepUsed(
  carried: readonly Omit<ManifestFile, 'index'>[],
  registers: readonly ManifestRegister[],
): { readonly files: ManifestFile[]; readonly registers: ManifestRegister[] } {
  const used = registers.filter((_, at) => carried.some(({ entry }) => entry?.register === at));
  const files = carried.map(({ entry, ...file }, index): ManifestFile => {
    const register = entry === undefined ? undefined : registers[entry.register];
    if (entry === undefined || register === undefined) return { index, ...file };
    return { index, ...file, entry: { ...entry, register: used.indexOf(register) } };
  });
  return { files, registers: used };
}

class Collected implements JobRegisters {
  readonly registers: ManifestRegister[] = [];
  readonly documents: ClaimedFile[] = [];
  readonly unsettled: ClaimedFile[] = [];
  readonly found: FoundRegister[] = [];
  readonly #about = new Map<ClaimedFile, AboutFile>();
  readonly #companions = new Map<ClaimedFile, readonly ClaimedFile[]>();

  about(file: ClaimedFile): AboutFile {
    return this.#about.get(file) ?? {};
  }

  companionsOf(file: ClaimedFile): readonly ClaimedFile[] | undefined {
    return this.#companions.get(file);
  }

  addPlain(job: Job, looks: ReadonlyMap<string, string>, receipts: readonly string[] = []): void {
    this.documents.push(...job.files);
    for (const file of job.files) {
      if (file.bytes !== undefined) continue;
      const path = pathInJob(job, file);
      const text = looks.get(path);
      if (receipts.includes(path)) this.#about.set(file, { refused: isReceipt(path) });
      else if (text !== undefined) this.#about.set(file, { looks: text });
    }
  }

  addRegister(job: Job, found: FoundRegister, words: RegisterWords): void {
    const register = fileAt(job, found.path);
    const others = job.files.filter(file => file !== register);
    if (others.length === 0) {
      this.documents.push(register);
      this.#about.set(register, { refused: isAlone(found.path) });
      return;
    }
    this.#addEntries(job, others, found, words);
    this.registers.push(describeRegister(found, register.path));
    this.found.push(found);
    for (const file of job.files) this.#companions.set(file, job.files);
  }

  /** The register is the job's: its files need not stay together, for each finds its row again. */
  addOfJob(job: Job, found: FoundRegister, { createdAt, folder }: JobRecord, words: RegisterWords): void {
    const isRegister = (file: ClaimedFile) => file.bytes === undefined && pathInJob(job, file) === found.path;
    const later = job.files.filter(isRegister);
    const others = job.files.filter(file => !isRegister(file));
    if (others.length > 0) {
      this.#addEntries(job, others, found, words);
      const path = folder === null ? found.path : `${folder}/${found.path}`;
      this.registers.push({ ofJob: true, ...describeRegister(found, path), notThere: [], notices: [] });
    }
    this.documents.push(...later);
    for (const file of later) this.#about.set(file, { refused: isLater(found.path, createdAt) });
  }

  #addEntries(job: Job, files: readonly ClaimedFile[], found: FoundRegister, words: RegisterWords): void {
    const entries = describeEntries(found, this.registers.length);
    const orders = describeOrder(found, new DocumentWords(words));
    for (const file of files) {
      const path = pathInJob(job, file);
      const entry = entries.get(path);
      const looks = found.looks.get(path);
      const order = orders.get(path);
      this.#about.set(file, {
        ...(entry && { entry }),
        ...(looks === undefined ? {} : { looks }),
        ...(order && { order }),
      });
    }
    const byPath = new Map(files.map(file => [pathInJob(job, file), file]));
    const inOrder = orderByRows([...byPath.keys()], entries).flatMap(path => byPath.get(path) ?? []);
    // Names that are not UTF-8 can look alike.
    this.documents.push(...new Set([...inOrder, ...files]));
  }

  addUnusable(job: Job, { path, reason, ofOthers }: NonNullable<JobRecord['unusable']>): void {
    this.documents.push(...job.files);
    for (const file of job.files) {
      const isItself = file.bytes === undefined && pathInJob(job, file) === path;
      const refused = isItself ? reason : ofOthers;
      if (refused !== undefined) this.#about.set(file, { refused });
    }
  }

  addFaulty(job: Job, path: string, text: string): void {
    this.documents.push(...job.files);
    const register = fileAt(job, path);
    for (const file of job.files) {
      this.#about.set(file, { refused: isUnusable(path, text, file === register) });
    }
  }
}

function listJobs(files: readonly ClaimedFile[]): readonly Job[] {
  const jobs = new Map<string, ClaimedFile[]>();
  for (const file of files) {
    const name = topOf(file.path);
    const known = jobs.get(name);
    if (known === undefined) jobs.set(name, [file]);
    else known.push(file);
  }
  return [...jobs].map(([name, ofJob]) => ({ name, files: ofJob }));
}

function pathInJob({ name }: Job, { path }: ClaimedFile): string {
  return name === '' ? path : path.slice(name.length + 1);
}

function fileAt(job: Job, path: string): ClaimedFile {
  const file = job.files.find(each => each.bytes === undefined && pathInJob(job, each) === path);
  if (file === undefined) throw new RangeError('A register is one of the files of its job.');
  return file;
}

/** @throws SheetError for one that may not be opened at all. */
function requireFit({ refusal }: ClaimedFile, maxFileBytes: number): void {
  if (refusal !== undefined)
    throw new SheetError('wrong-kind', explainFileRefusal(refusal, maxFileBytes).text);
}
