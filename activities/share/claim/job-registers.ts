// The registers among claimed files: each job of a batch may have one. It is read where it was claimed to, so
// that nobody changes it any more, and is no document itself.
import type { Reason } from '../../../workflows/contract';
import { SheetError } from '../../registers/sheet/sheet-error';
import type { ManifestFile, ManifestRegister } from '../batch/manifest';
import { explainFileRefusal } from '../drop/refuse-file';
import { topOf } from '../files/relative-path';
import type { ShareLayout } from '../files/share-layout';
import { describeEntries, describeOrder, describeRegister, orderByRows } from '../register/describe-job';
import {
  findJobRegister,
  type JobRegister,
  nameRegister,
  type RegisterWords,
} from '../register/find-job-register';
import { openSheetFile } from '../register/open-sheet';
import type { ClaimedBatch, ClaimedFile } from './claim-files';

/** Why a file is set apart for its register's sake. Receipts carry the codes. */
export type RegisterRefusal = 'register-unusable' | 'register-alone';

/** What the manifest says of a file besides what is known of it without a register. */
export interface AboutFile {
  readonly entry?: NonNullable<ManifestFile['entry']>;
  readonly looks?: string;
  readonly refused?: Reason;
  /** Of its row, what orders it among the revisions of its document; goes before what its name says. */
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

interface Reading {
  readonly words: RegisterWords;
  readonly maxFileBytes: number;
  /** Whether a register that cannot be read now is waited for. */
  mayWait(register: ClaimedFile): boolean;
}

/** @throws what the share says of itself. */
export async function readJobRegisters(
  layout: ShareLayout,
  batch: ClaimedBatch,
  reading: Reading,
): Promise<JobRegisters> {
  const result = new Collected();
  for (const job of listJobs(batch.files)) {
    const found = await findJobRegister({
      name: job.name,
      paths: job.files.flatMap(file => (file.bytes === undefined ? [pathInJob(job, file)] : [])),
      ...reading.words,
      open: (path, mostBytes) => openClaimed(layout, batch, fileAt(job, path), mostBytes, reading),
    });
    if (found.kind === 'register') result.addRegister(job, found, reading.words);
    else if (found.kind === 'none') result.addPlain(job, found.looks);
    else if (found.mayPass && reading.mayWait(fileAt(job, found.path))) result.unsettled.push(...job.files);
    else result.addFaulty(job, found.path, found.text);
  }
  return result;
}

/** The values that order a document: those of its row in place of those of its name. */
export function orderedBy(values: ManifestFile['values'], order: AboutFile['order']): ManifestFile['values'] {
  if (order === undefined) return values;
  const ofName = Object.entries(values).filter(([name]) => !Object.hasOwn(order, name.toLowerCase()));
  return { ...Object.fromEntries(ofName), ...order };
}

/** The manifest's files and registers: a register all of whose files went back is none of the batch. */
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
  readonly #about = new Map<ClaimedFile, AboutFile>();
  readonly #companions = new Map<ClaimedFile, readonly ClaimedFile[]>();

  about(file: ClaimedFile): AboutFile {
    return this.#about.get(file) ?? {};
  }

  companionsOf(file: ClaimedFile): readonly ClaimedFile[] | undefined {
    return this.#companions.get(file);
  }

  addPlain(job: Job, looks: ReadonlyMap<string, string>): void {
    this.documents.push(...job.files);
    for (const [path, text] of looks) this.#about.set(fileAt(job, path), { looks: text });
  }

  addRegister(
    job: Job,
    found: Extract<JobRegister, { kind: 'register' }>,
    { emptyWord }: RegisterWords,
  ): void {
    const register = fileAt(job, found.path);
    const others = job.files.filter(file => file !== register);
    if (others.length === 0) {
      this.documents.push(register);
      this.#about.set(register, { refused: isAlone(found.path) });
      return;
    }
    const entries = describeEntries(found, this.registers.length);
    const orders = describeOrder(found, emptyWord);
    this.registers.push(describeRegister(found, register.path));
    for (const file of others) {
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
    for (const file of job.files) this.#companions.set(file, job.files);
    const byPath = new Map(others.map(file => [pathInJob(job, file), file]));
    this.documents.push(...orderByRows([...byPath.keys()], entries).flatMap(path => byPath.get(path) ?? []));
    // Names that are not UTF-8 can look alike.
    this.documents.push(...others.filter(file => !this.documents.includes(file)));
  }

  addFaulty(job: Job, path: string, text: string): void {
    this.documents.push(...job.files);
    for (const file of job.files) {
      this.#about.set(file, { refused: isUnusable(path, text, file === fileAt(job, path)) });
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

/** @throws SheetError, also for one that may not be opened at all; what the share says of itself. */
async function openClaimed(
  layout: ShareLayout,
  batch: ClaimedBatch,
  file: ClaimedFile,
  mostBytes: number,
  { maxFileBytes }: Reading,
): Promise<Buffer> {
  if (file.refusal !== undefined) {
    throw new SheetError('wrong-kind', explainFileRefusal(file.refusal, maxFileBytes).text);
  }
  return await openSheetFile(layout, batch.paths.files, file, mostBytes);
}

const DROP_TOGETHER = 'Drop the register again together with the files that it lists, in one folder.';

function isAlone(path: string): Reason & { readonly code: RegisterRefusal } {
  return {
    code: 'register-alone',
    text: `${nameRegister(path)} is a register, and no other file came with it.`,
    fix: `${DROP_TOGETHER} If it is to be a document itself, give it a name without "register".`,
  };
}

function isUnusable(
  path: string,
  text: string,
  isItself: boolean,
): Reason & { readonly code: RegisterRefusal } {
  const what = isItself
    ? 'It is meant as the register'
    : `${nameRegister(path)} is the register of this file`;
  return {
    code: 'register-unusable',
    text: `${what}, and cannot be used: ${text}`,
    fix: DROP_TOGETHER,
  };
}
