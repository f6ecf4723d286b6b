// What the watcher says of its work: one event for each thing that happens to a file, a batch, or the outside
// it depends on. The same goes to the log, with the fields a terminal needs to show it.
import { isBug } from '../../activities/share/files/share-error';
import type { ShareLogger } from '../../activities/share/share';

/** Of a bug: what was thrown, so that the log has its stack. */
interface MayBeBug {
  readonly error?: unknown;
}

export type WatchEvent =
  | { readonly event: 'watch-started'; readonly drop: string }
  | { readonly event: 'watch-ended' }
  | {
      readonly event: 'watched-elsewhere';
      readonly namespace: string;
      readonly address: string;
      readonly holderHost: string;
      readonly batches: number;
      /** For how long it must stand still until this one goes on by itself. */
      readonly takeOverMs: number;
    }
  | { readonly event: 'watch-taken'; readonly namespace: string }
  | {
      readonly event: 'batch-held-elsewhere';
      readonly batchId: string;
      readonly namespace: string;
      readonly address: string;
      readonly holderHost: string;
    }
  | {
      readonly event: 'file-claimed';
      readonly batchId: string;
      readonly path: string;
      readonly index: number;
      readonly sizeBytes: number;
    }
  | {
      readonly event: 'file-refused';
      readonly batchId: string;
      readonly path: string;
      readonly index: number;
      readonly code: string;
      readonly reason: string;
    }
  | { readonly event: 'file-returned'; readonly path: string; readonly why: string }
  | ({ readonly event: 'file-waiting'; readonly path: string; readonly why: string } & MayBeBug)
  | {
      readonly event: 'register-waits';
      /** The top folder. */
      readonly path: string;
      readonly register: string;
      /** How many files that it lists are not there; some of them by name. */
      readonly missing: number;
      readonly named: readonly string[];
      readonly waitMs: number;
    }
  | {
      readonly event: 'files-left';
      /** The top folder. */
      readonly path: string;
      /** How many files of it no register lists; some of them by name. */
      readonly files: number;
      readonly named: readonly string[];
    }
  | {
      readonly event: 'batch-claimed';
      readonly batchId: string;
      readonly files: number;
      readonly bytes: number;
    }
  | { readonly event: 'batch-adopted'; readonly batchId: string; readonly files: number }
  | { readonly event: 'batch-started'; readonly batchId: string; readonly files: number }
  | { readonly event: 'batch-stopped'; readonly batchId: string; readonly outcome: string }
  | {
      readonly event: 'batch-settled';
      readonly batchId: string;
      readonly done: number;
      readonly attention: number;
    }
  | { readonly event: 'job-closed'; readonly job: string; readonly place: string }
  | {
      readonly event: 'job-settled';
      readonly job: string;
      readonly place: string;
      /** Written now, relative to the share. */
      readonly receipts: readonly string[];
    }
  /** A sheet of a job that was dropped by itself; both paths are relative to the share. */
  | { readonly event: 'sheet-dropped'; readonly path: string; readonly movedTo: string }
  /** A receipt that a person has corrected. */
  | { readonly event: 'sheet-corrected'; readonly path: string; readonly rows: number }
  /** A sheet in which a person has corrected held rows. */
  | { readonly event: 'sheet-answered'; readonly path: string; readonly rows: number }
  | { readonly event: 'sheet-told'; readonly path: string; readonly told: readonly string[] }
  | ({ readonly event: 'sheet-waits'; readonly path: string; readonly why: string } & MayBeBug)
  | ({ readonly event: 'chore-failed'; readonly chore: string; readonly why: string } & MayBeBug)
  | ({ readonly event: 'job-damaged'; readonly job: string; readonly why: string } & MayBeBug)
  | ({ readonly event: 'batch-damaged'; readonly batchId: string; readonly why: string } & MayBeBug)
  | { readonly event: 'batch-of-former-name'; readonly batchId: string; readonly formerName: string }
  | { readonly event: 'batches-full'; readonly open: number; readonly waiting: number }
  | { readonly event: 'share-away'; readonly why: string }
  | { readonly event: 'share-back' }
  | ({ readonly event: 'share-refuses'; readonly why: string } & MayBeBug)
  | { readonly event: 'share-accepts' }
  | { readonly event: 'temporal-away'; readonly why: string }
  | { readonly event: 'temporal-back' }
  | { readonly event: 'doorbell-trouble'; readonly why: string }
  | { readonly event: 'doorbell-missed'; readonly files: number; readonly total: number };

export type TellEvent = (event: WatchEvent) => void;

/** What an event of trouble has besides its words. */
export function bugOf(error: unknown): MayBeBug {
  return error !== undefined && isBug(error) ? { error } : {};
}

const WARNINGS: ReadonlySet<WatchEvent['event']> = new Set([
  'file-refused',
  'file-waiting',
  'batch-stopped',
  'batch-damaged',
  'batch-of-former-name',
  'sheet-told',
  'sheet-waits',
  'chore-failed',
  'job-damaged',
  'watched-elsewhere',
  'batch-held-elsewhere',
  'share-away',
  'share-refuses',
  'temporal-away',
  'doorbell-trouble',
]);

const SENTENCES: Readonly<Record<WatchEvent['event'], string>> = {
  'watch-started': 'Watching the drop folder.',
  'watch-ended': 'The watcher has ended.',
  'watched-elsewhere':
    'Another Temporal watches this share: nothing is claimed or started here while it is at work.',
  'watch-taken': 'The share is watched by this Temporal now.',
  'batch-held-elsewhere': 'A batch is carried by another Temporal and is not started here.',
  'file-claimed': 'A file was claimed.',
  'file-refused': 'A file cannot travel and is set apart.',
  'file-returned': 'A file was not ready after all and went back to the drop folder.',
  'file-waiting': 'A file, or all of a folder, stays in the drop folder for now.',
  'register-waits': 'A folder waits for files that its register lists.',
  'files-left': 'Files that no register lists stay in the drop folder.',
  'batch-claimed': 'A batch was cut.',
  'batch-adopted': 'A claim that was left unfinished was taken up.',
  'batch-started': 'The workflow of a batch was started.',
  'batch-stopped': 'The workflow of a batch ended without finishing it; it has to be resumed.',
  'batch-settled': 'The moves of a finished batch were completed.',
  'job-closed': 'All of a folder was claimed; what comes into it now is another job.',
  'job-settled': 'A job has its receipt.',
  'sheet-dropped': 'A corrected sheet was dropped, and lies beside that of its folder now, to be read.',
  'sheet-corrected': 'Corrected rows of a receipt were taken up; their files are in the drop folder again.',
  'sheet-answered': 'Corrected rows of a sheet were answered for; their documents go on.',
  'sheet-told': 'Of a corrected receipt something was not taken up.',
  'sheet-waits': 'A corrected receipt cannot be taken up just now.',
  'chore-failed': 'Work beside the claiming of files has failed by a bug of ours; it is tried again.',
  'job-damaged': 'A job cannot be ended just now, for a file of it cannot be read or written.',
  'batch-damaged': 'A batch cannot be read and is left alone.',
  'batch-of-former-name':
    'A batch was begun while this share had another name: give it that one back until the batch has ended.',
  'batches-full': 'As many batches as allowed are on their way; more files wait in the drop folder.',
  'share-away': 'The share is away; waiting for it.',
  'share-back': 'The share is back.',
  'share-refuses': 'The share takes no changes just now; files stay in the drop folder.',
  'share-accepts': 'The share takes changes again.',
  'temporal-away': 'Temporal does not answer; claimed batches are kept and started when it is back.',
  'temporal-back': 'Temporal answers again.',
  'doorbell-trouble': 'Watching for changes does not work; the regular scan goes on.',
  'doorbell-missed': 'Files came without an announcement; watching for changes begins anew.',
};

/** Tells the log, and whoever listens. */
export function createTeller(
  share: string,
  logger: ShareLogger,
  onEvent: ((event: WatchEvent & { readonly share: string }) => void) | undefined,
): TellEvent {
  return event => {
    const fields = { ...event, share };
    const sentence = SENTENCES[event.event];
    if (WARNINGS.has(event.event)) logger.warn(fields, sentence);
    else logger.info(fields, sentence);
    onEvent?.(fields);
  };
}
