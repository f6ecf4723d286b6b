// What the watcher says of its work: one event for each thing that happens to a file, a batch, or the outside
// it depends on. The same goes to the log, with the fields a terminal needs to show it.
import type { ShareLogger } from '../../activities/share/share';

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
  | { readonly event: 'file-waiting'; readonly path: string; readonly why: string }
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
  | { readonly event: 'batch-damaged'; readonly batchId: string; readonly why: string }
  | { readonly event: 'batches-full'; readonly open: number; readonly waiting: number }
  | { readonly event: 'share-away'; readonly why: string }
  | { readonly event: 'share-back' }
  | { readonly event: 'share-refuses'; readonly why: string }
  | { readonly event: 'share-accepts' }
  | { readonly event: 'temporal-away'; readonly why: string }
  | { readonly event: 'temporal-back' }
  | { readonly event: 'doorbell-trouble'; readonly why: string }
  | { readonly event: 'doorbell-missed'; readonly files: number; readonly total: number };

export type TellEvent = (event: WatchEvent) => void;

const WARNINGS: ReadonlySet<WatchEvent['event']> = new Set([
  'file-refused',
  'file-waiting',
  'batch-stopped',
  'batch-damaged',
  'watched-elsewhere',
  'batch-held-elsewhere',
  'share-away',
  'share-refuses',
  'temporal-away',
  'doorbell-trouble',
]);

/** Tells the log, and whoever listens. */
export function createTeller(
  share: string,
  logger: ShareLogger,
  onEvent: ((event: WatchEvent & { readonly share: string }) => void) | undefined,
): TellEvent {
  return event => {
    const fields = { ...event, share };
    if (WARNINGS.has(event.event)) logger.warn(fields, toSentence(event));
    else logger.info(fields, toSentence(event));
    onEvent?.(fields);
  };
}

function toSentence(event: WatchEvent): string {
  switch (event.event) {
    case 'watch-started':
      return 'Watching the drop folder.';
    case 'watch-ended':
      return 'The watcher has ended.';
    case 'watched-elsewhere':
      return 'Another Temporal watches this share: nothing is claimed or started here while it is at work.';
    case 'watch-taken':
      return 'The share is watched by this Temporal now.';
    case 'batch-held-elsewhere':
      return 'A batch is carried by another Temporal and is not started here.';
    case 'file-claimed':
      return 'A file was claimed.';
    case 'file-refused':
      return 'A file cannot travel and is set apart.';
    case 'file-returned':
      return 'A file was not ready after all and went back to the drop folder.';
    case 'file-waiting':
      return 'A file stays in the drop folder for now.';
    case 'batch-claimed':
      return 'A batch was cut.';
    case 'batch-adopted':
      return 'A claim that was left unfinished was taken up.';
    case 'batch-started':
      return 'The workflow of a batch was started.';
    case 'batch-stopped':
      return 'The workflow of a batch ended without finishing it; it has to be resumed.';
    case 'batch-settled':
      return 'The moves of a finished batch were completed.';
    case 'batch-damaged':
      return 'A batch cannot be read and is left alone.';
    case 'batches-full':
      return 'As many batches as allowed are on their way; more files wait in the drop folder.';
    case 'share-away':
      return 'The share is away; waiting for it.';
    case 'share-back':
      return 'The share is back.';
    case 'share-refuses':
      return 'The share takes no changes just now; files stay in the drop folder.';
    case 'share-accepts':
      return 'The share takes changes again.';
    case 'temporal-away':
      return 'Temporal does not answer; claimed batches are kept and started when it is back.';
    case 'temporal-back':
      return 'Temporal answers again.';
    case 'doorbell-trouble':
      return 'Watching for changes does not work; the regular scan goes on.';
    case 'doorbell-missed':
      return 'Files came without an announcement; watching for changes begins anew.';
  }
}
