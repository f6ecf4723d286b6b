// The doorbell: chokidar wakes the scan early. It is never the source of truth, for it is known to miss
// files: events lost at the start, stuck after one failed look, deaf after the folder was removed or
// mounted anew. So it watches folders only, says only which of them something happened in, and is
// replaced as soon as it proves deaf.
import { basename, join, relative } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { codeOf } from '../../activities/host/error-code';
import { isIgnoredName } from '../../activities/registers/words/ignored-names';

/** Folders remembered as heard of; beyond that everything counts as heard. */
const MAX_FOLDERS = 10_000;

export interface DoorbellOptions {
  readonly polling: boolean;
  readonly pollEveryMs: number;
  readonly nowMs: () => number;
  onRing(): void;
  onTrouble(why: string): void;
}

export class Doorbell {
  readonly #options: DoorbellOptions;
  #watcher: FSWatcher | undefined;
  #root = '';
  #readyMs = Number.POSITIVE_INFINITY;
  #heard = new Map<string, number>();
  #closing: Promise<void> = Promise.resolve();

  constructor(options: DoorbellOptions) {
    this.#options = options;
  }

  get isOn(): boolean {
    return this.#watcher !== undefined;
  }

  /** Begins, or begins anew, at this folder. */
  start(folder: string): void {
    this.stop();
    this.#root = folder;
    const watcher = watch(folder, {
      persistent: true,
      followSymlinks: false,
      ignoreInitial: true,
      usePolling: this.#options.polling,
      interval: this.#options.pollEveryMs,
      binaryInterval: this.#options.pollEveryMs,
      ignorePermissionErrors: true,
      // Watching each file would cost a handle or a look each; what happens to them shows in their folder.
      ignored: (path, stats) =>
        (stats !== undefined && !stats.isDirectory()) || (path !== folder && isIgnoredName(basename(path))),
    });
    this.#watcher = watcher;
    const isCurrent = () => this.#watcher === watcher;
    watcher.on('ready', () => {
      if (isCurrent()) this.#readyMs = this.#options.nowMs();
    });
    watcher.on('addDir', path => {
      if (isCurrent()) this.#ring(path);
    });
    watcher.on('raw', (_event, path, details) => {
      if (isCurrent()) this.#ring(folderOfRaw(path, details));
    });
    // Without a listener an error would end the process.
    watcher.on('error', error => {
      if (isCurrent()) this.#options.onTrouble(codeOf(error) ?? 'unknown error');
    });
  }

  stop(): void {
    const watcher = this.#watcher;
    this.#watcher = undefined;
    this.#readyMs = Number.POSITIVE_INFINITY;
    this.#heard = new Map();
    if (watcher !== undefined) {
      this.#closing = this.#closing.then(() => watcher.close()).catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    this.stop();
    await this.#closing;
  }

  /**
   * Whether something was heard, since then, of the folder (relative to the root) or of one above it. True
   * also while nothing could be heard yet.
   */
  hasHeard(folder: string, sinceMs: number): boolean {
    if (this.#watcher === undefined || this.#readyMs > sinceMs) return true;
    for (let path = folder; ; path = path.slice(0, Math.max(0, path.lastIndexOf('/')))) {
      const heardMs = this.#heard.get(path);
      if (heardMs !== undefined && heardMs >= sinceMs) return true;
      if (path === '') return false;
    }
  }

  #ring(path: string): void {
    const folder = relative(this.#root, path).replaceAll('\\', '/');
    if (this.#heard.size >= MAX_FOLDERS) this.#heard = new Map([['', Number.POSITIVE_INFINITY]]);
    const nowMs = this.#options.nowMs();
    this.#heard.set(folder, Math.max(this.#heard.get(folder) ?? 0, nowMs));
    this.#options.onRing();
  }
}

/**
 * With native watching `details` names the folder and `path` the entry; with
 * polling `path` is the folder itself.
 */
function folderOfRaw(path: string, details: unknown): string {
  if (typeof details === 'object' && details !== null && 'watchedPath' in details) {
    return String(details.watchedPath);
  }
  return join(path);
}
