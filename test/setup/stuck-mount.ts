// A mount that hangs, for real (Linux, root): a FUSE file system that nobody serves is mounted over the
// folder. Whatever goes through its path waits, in this process and in every other one, until it is taken
// away; then the folder is there again as it was.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DEVICE = '/dev/fuse';

/** Why there can be none here, or undefined. */
export function whyNoStuckMount(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-stuck-'));
  try {
    new StuckMount(folder).close();
    return undefined;
  } catch (error) {
    return `nothing can be mounted (${error instanceof Error ? error.message : String(error)})`;
  } finally {
    rmdirSync(folder);
  }
}

export class StuckMount {
  readonly #folder: string;
  /** Whoever has it open is who should answer. */
  #device: number | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    const device = openSync(DEVICE, 'r+');
    const options = 'fd=3,rootmode=40000,user_id=0,group_id=0';
    const { status, stderr } = spawnSync('mount', ['-i', '-t', 'fuse', '-o', options, 'stuck', folder], {
      stdio: ['ignore', 'ignore', 'pipe', device],
      encoding: 'utf8',
    });
    if (status !== 0) {
      closeSync(device);
      throw new Error(stderr.trim() || `mount ended with ${status}`);
    }
    this.#device = device;
  }

  /** What waits is told that nobody is there; what comes finds the folder. */
  close(): void {
    if (this.#device === undefined) return;
    const device = this.#device;
    this.#device = undefined;
    spawnSync('umount', ['--lazy', this.#folder]);
    closeSync(device);
  }
}
