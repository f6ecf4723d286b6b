// The share's file operations with faults ordered by the test. Below every fault is the real file system.
import { writeFile } from 'node:fs/promises';
import type { GrowingFile } from '../../../activities/share/files/growing-file';
import { createNodeShareFs, type ShareFs } from '../../../activities/share/files/share-fs';

export type Operation = Exclude<keyof ShareFs, 'entries' | 'holdsFolders'>;

export function fsError(code: string): Error {
  return Object.assign(new Error(`${code} (ordered by the test)`), { code });
}

/** Calls `before` ahead of each operation; what it throws is the operation's result. */
export function createFaultyFs(
  before: (operation: Operation, ...paths: unknown[]) => void | Promise<void>,
  options: { readonly byDescriptor?: boolean } = {},
): ShareFs {
  const real = createNodeShareFs(options);
  const wrapped = { ...real } as Record<string, unknown>;
  for (const [name, run] of Object.entries(real)) {
    if (name === 'entries' || typeof run !== 'function') continue;
    wrapped[name] = async (...input: unknown[]) => {
      await before(name as Operation, ...input);
      const result = await (run as (...input: unknown[]) => Promise<unknown>)(...input);
      return name === 'openGrowing' ? withFaults(result as GrowingFile, before) : result;
    };
  }
  wrapped.entries = (path: string) =>
    (async function* () {
      await before('look', path);
      yield* real.entries(path);
    })();
  return wrapped as unknown as ShareFs;
}

/** Each write to a file that grows is an operation of its own. */
function withFaults(file: GrowingFile, before: (operation: Operation) => void | Promise<void>): GrowingFile {
  const faulty =
    <Input extends unknown[]>(run: (...input: Input) => Promise<void>) =>
    async (...input: Input) => {
      await before('openGrowing');
      await run(...input);
    };
  const { sizeBytes, write, cut, sync, close } = file;
  return { sizeBytes, write: faulty(write), cut: faulty(cut), sync: faulty(sync), close };
}

/**
 * The process dies before its n-th operation: that one and all later ones do
 * nothing. A file being written is torn.
 */
export class DyingFs {
  readonly fs: ShareFs;
  count = 0;
  isDead = false;

  constructor(dieAt: number) {
    this.fs = createFaultyFs(async (operation, ...input) => {
      this.count += 1;
      if (this.count < dieAt) return;
      if (!this.isDead && operation === 'writeNew') {
        const [path, text] = input as [string, string | Buffer];
        await writeFile(path, text.slice(0, text.length / 2), { flag: 'wx' }).catch(() => undefined);
      }
      this.isDead = true;
      throw fsError('DEAD');
    });
  }
}
