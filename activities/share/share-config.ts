// What is configured of a share, and every fault of it that can be seen without touching the disk.
import { isAbsolute } from 'node:path';
import { MAX_BATCH_DOCUMENTS, type ProjectRef } from '../../workflows/contract';
import type { BatchPolicy } from '../../workflows/ingest/ingest-contract';
import type { CsvDialect } from '../registers/sheet/csv-dialect';
import { compilePattern } from './drop/pattern';
import { isInnerPath } from './files/relative-path';
import type { ShareFault } from './files/share-error';

export interface ShareConfig {
  /** Lower-case letters, digits and dashes; names the share everywhere. */
  readonly name: string;
  /** The share's root on this host. */
  readonly folder: string;
  readonly project: ProjectRef;
  /** Folders below the root; by default `drop`, `done` and `attention`. */
  readonly drop?: string | undefined;
  readonly done?: string | undefined;
  readonly attention?: string | undefined;
  /** False: a root that is not there is a fault (a share that is not mounted) instead of being created. */
  readonly createFolder?: boolean | undefined;
  /** How long size, time and identity must stand still before a file counts. */
  readonly settleMs: number;
  readonly scanEveryMs: number;
  /** Poll for changes instead of being notified of them: needed on most network shares. */
  readonly polling: boolean;
  readonly maxBatchFiles: number;
  readonly maxBatchBytes: number;
  /**
   * A folder counts as whole when nothing in it has changed for this long; loose files that do not fill a
   * batch wait as long for others.
   */
  readonly quietMs: number;
  /** A file of this name in a folder says that the folder is whole; `.ready` when absent. */
  readonly jobMarker?: string | undefined;
  /** Batches on their way at one time; those that only wait for a person do not count. */
  readonly maxOpenBatches: number;
  readonly maxFileBytes: number;
  /** Regular expressions whose named groups are field names. */
  readonly fileNamePattern?: string | undefined;
  readonly folderPattern?: string | undefined;
  /** How a register is known; by its usual names when absent. */
  readonly register?:
    | {
        readonly pattern?: string | undefined;
        /** How long files are waited for that it lists. */
        readonly waitMs?: number | undefined;
        /** The template's name at the root of the share; none is kept there when absent. */
        readonly template?: string | undefined;
        /** Files of a folder that no row is about stay where they are. */
        readonly leavesUnlisted?: boolean | undefined;
      }
    | undefined;
  /** The time zone of receipts and status pages for people, as `Europe/Berlin`; the host's when absent. */
  readonly timeZone?: string | undefined;
  /** What parts the cells of `receipt.csv`; a comma when absent. */
  readonly receiptDelimiter?: CsvDialect['delimiter'] | undefined;
  readonly policy: BatchPolicy;
  /** What is done with files that seem to be double, or to come too late; the usual when absent. */
  readonly duplicates?: Partial<DuplicateRules> | undefined;
  /** Nothing is claimed while less than this is free; 64 MiB when absent. */
  readonly minFreeBytes?: number | undefined;
  /** How long another host's claim must stand still before it counts as abandoned; 5 minutes when absent. */
  readonly abandonedMs?: number | undefined;
  /**
   * How long another Temporal must stand still before its batches and its watch are
   * taken over; 15 minutes when absent.
   */
  readonly takeOverMs?: number | undefined;
  /** Later revisions no longer wait for a batch that nobody has run for so long; 15 minutes when absent. */
  readonly passStoppedMs?: number | undefined;
}

/** Which documents are not sent without a question, or not at all. */
export interface DuplicateRules {
  /** Same name and bytes as the present revision. */
  readonly sameFile: 'skip' | 'hold' | 'send';
  /** Same bytes as a file of another name. */
  readonly sameBytes: 'hold' | 'send';
  /** Several files of one batch are the same document, and no revision orders them. */
  readonly noOrder: 'hold' | 'send';
  /** An earlier revision comes after a later one. */
  readonly earlier: 'hold' | 'send';
  /** Which documents may be sent at all. */
  readonly mode: 'auto' | 'new-only' | 'supersede-only';
}

export const DUPLICATE_DEFAULTS: DuplicateRules = {
  sameFile: 'skip',
  sameBytes: 'hold',
  noOrder: 'hold',
  earlier: 'hold',
  mode: 'auto',
};

export const SHARE_DEFAULTS = {
  drop: 'drop',
  done: 'done',
  attention: 'attention',
  settleMs: 5_000,
  scanEveryMs: 10_000,
  polling: false,
  maxBatchFiles: MAX_BATCH_DOCUMENTS,
  maxBatchBytes: 5 * 1024 ** 3,
  quietMs: 3_000,
  jobMarker: '.ready',
  maxOpenBatches: 8,
  maxFileBytes: 50 * 1024 ** 3,
  minFreeBytes: 64 * 1024 ** 2,
  abandonedMs: 5 * 60_000,
  takeOverMs: 15 * 60_000,
  passStoppedMs: 15 * 60_000,
  registerWaitMs: 10 * 60_000,
  template: 'template.xlsx',
} as const;

/** Our own folder on a share; not configurable, so that it is recognised everywhere. */
export const OWN_FOLDER = '.drawbridge';

/** The least that each of these numbers may be. */
const LEAST = [
  ['settleMs', 1],
  ['scanEveryMs', 10],
  ['quietMs', 0],
  ['maxBatchBytes', 1],
  ['maxOpenBatches', 1],
  ['maxFileBytes', 1],
] as const;

/** All faults that the configuration shows by itself. */
export function checkShareConfig(config: ShareConfig): ShareFault[] {
  const faults: ShareFault[] = [];
  const fault = (setting: string, text: string, fix: string) => void faults.push({ setting, text, fix });

  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(config.name)) {
    fault('name', `"${config.name}" is not a share's name.`, 'Use lower-case letters, digits and dashes.');
  }
  if (config.folder.trim() === '' || config.folder.includes('\0')) {
    fault('folder', 'It is empty.', 'Give the path of the share on this host.');
  }
  for (const setting of ['drop', 'done', 'attention'] as const) {
    const path = config[setting] ?? SHARE_DEFAULTS[setting];
    if (isAbsolute(path) || !isInnerPath(path) || path.split('/')[0] === OWN_FOLDER) {
      fault(setting, `"${path}" is not a folder below the share.`, 'Give a relative path such as "drop".');
    }
  }
  for (const [setting, least] of LEAST) {
    const value = config[setting];
    if (!Number.isFinite(value) || value < least)
      fault(setting, `${value} is too small.`, `Give at least ${least}.`);
  }
  const { maxBatchFiles } = config;
  if (!Number.isInteger(maxBatchFiles) || maxBatchFiles < 1 || maxBatchFiles > MAX_BATCH_DOCUMENTS) {
    const fix = `Give 1 to ${MAX_BATCH_DOCUMENTS}, which is the most the service takes at once.`;
    fault('maxBatchFiles', `${maxBatchFiles} is not possible.`, fix);
  }
  for (const setting of ['fileNamePattern', 'folderPattern'] as const) {
    const source = config[setting];
    if (source === undefined) continue;
    try {
      compilePattern(source);
    } catch (error) {
      fault(
        setting,
        `The pattern cannot be used: ${(error as Error).message}`,
        'Write a regular expression with named groups, for example "^(?<number>[^_]+)_(?<revision>[^.]+)".',
      );
    }
  }
  return faults;
}
