// What the register of a folder says of its files while they still lie in the drop folder: whether all that
// it lists are there, and their order; then what the job is begun with.
import { hash } from 'node:crypto';
import { shortenReason } from '../batch/manifest';
import type { DropEntry } from '../drop/scan-drop';
import { comparePaths } from '../files/relative-path';
import type { ShareLayout } from '../files/share-layout';
import type { AwaitedFile } from './awaited-file';
import type { BegunWith } from './begun-with';
import { findJobRegister, type JobRegister, passingOf, type RegisterWords } from './find-job-register';
import { openRegisterFile } from './open-sheet';
import { isAlone, isReceipt, isUnusable } from './register-refusal';

export interface DropRegister {
  /** Below the drop folder. */
  readonly path: string;
  readonly awaited: readonly AwaitedFile[];
  /** Paths below the drop folder, in the order of the rows; files without a row are left out. */
  readonly order: readonly string[];
}

/** How many files that a row could mean, and rows about one file, are kept: no sentence names more. */
const MOST_MEANT = 20;
/** In characters: why a file that looks like a register was not taken for one. */
const MOST_TEXT = 2_000;
/** The most that the record of a job keeps about its register: it is read with each batch. */
const MOST_BYTES = 8 * 1024 ** 2;

/**
 * `entries`: all that lies below the top folder `top`; '' for loose files. Undefined where no register is
 * among them, or none that can be used: what is wrong with that one is told when the files are claimed.
 * `busy`: what is, or may be, the register is being saved, or open elsewhere: it can be read a little later.
 */
export async function lookInDrop(
  layout: ShareLayout,
  words: RegisterWords,
  top: string,
  entries: readonly DropEntry[],
): Promise<DropRegister | 'busy' | undefined> {
  const within = withinOf(top);
  const found = await findInDrop(layout, words, top, entries);
  if (passingOf(found) !== undefined) return 'busy';
  if (found.kind !== 'register') return undefined;
  const { missing, doubtful, pairs } = found.matches;
  return {
    path: `${within}${found.path}`,
    awaited: [
      ...missing.map(({ file }) => ({ kind: 'missing' as const, file })),
      ...doubtful.map(({ file, path }) => ({ kind: 'doubtful' as const, file, path })),
    ],
    order: pairs.map(({ path }) => `${within}${path}`),
  };
}

/**
 * Reads the register of a folder for the whole of its job.
 * @param mayWait whether one that cannot be read now is waited for.
 * @returns undefined to wait: it is still being saved, or open elsewhere.
 */
export async function readInDrop(
  layout: ShareLayout,
  words: RegisterWords,
  top: string,
  entries: readonly DropEntry[],
  mayWait: () => boolean,
): Promise<BegunWith | undefined> {
  const found = await findInDrop(layout, words, top, entries);
  if (passingOf(found) !== undefined && mayWait()) return undefined;
  if (found.kind === 'faulty') return unusable(found.path, found.text);
  const looks = [...found.looks].map(([path, text]) => ({ path, text: text.slice(0, MOST_TEXT) }));
  const besides = looks.length === 0 ? {} : { looks };
  const [receipt] = found.kind === 'none' && entries.length === 1 ? (found.receipts ?? []) : [];
  if (receipt !== undefined) return { unusable: { path: receipt, reason: isReceipt(receipt) } };
  if (found.kind === 'none') return besides;
  const { path, bytes, matches } = found;
  if (entries.length < 2) return { unusable: { path, reason: isAlone(path) }, sheet: bytes };
  const register = {
    path,
    sizeBytes: bytes.length,
    sha256: hash('sha256', bytes),
    pairs: [...matches.pairs],
    ambiguous: matches.ambiguous.map(({ row, paths }) => ({ row, paths: paths.slice(0, MOST_MEANT) })),
    twice: matches.twice.map(({ path, rows }) => ({ path, rows: rows.slice(0, MOST_MEANT) })),
  };
  if (Buffer.byteLength(JSON.stringify(register)) > MOST_BYTES) {
    return unusable(path, 'It lists more than can be kept of it. Drop the files in several folders.');
  }
  return { register, sheet: bytes, ...besides };
}

function unusable(path: string, text: string): BegunWith {
  const reasonOf = (isItself: boolean) => shortenReason(isUnusable(path, text, isItself));
  return { unusable: { path, reason: reasonOf(true), ofOthers: reasonOf(false) } };
}

export async function findInDrop(
  layout: ShareLayout,
  words: RegisterWords,
  top: string,
  entries: readonly DropEntry[],
): Promise<JobRegister> {
  const within = withinOf(top);
  const files = new Map(
    entries
      .filter(({ kind, bytes }) => kind === 'file' && bytes === undefined)
      .map(entry => [entry.path.slice(within.length), entry]),
  );
  return await findJobRegister({
    name: top,
    paths: [...files.keys()].sort(comparePaths),
    ...words,
    open: async (path, mostBytes) => {
      const file = files.get(path);
      if (file === undefined) throw new RangeError('A register is one of the files of its job.');
      return await openRegisterFile(layout, layout.drop, { path: file.path, facts: file }, mostBytes);
    },
  });
}

function withinOf(top: string): string {
  return top === '' ? '' : `${top}/`;
}
