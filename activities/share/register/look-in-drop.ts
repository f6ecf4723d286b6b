// What the register of a folder says of its files while they still lie in the drop folder: whether all that
// it lists are there, and their order.
import type { DropEntry } from '../drop/scan-drop';
import { comparePaths } from '../files/relative-path';
import type { ShareLayout } from '../files/share-layout';
import { findJobRegister, type RegisterWords } from './find-job-register';
import { openSheetFile } from './open-sheet';

export interface DropRegister {
  /** Below the drop folder. */
  readonly path: string;
  /** How many rows are about files that are not there. */
  readonly missing: number;
  /** Paths below the drop folder, in the order of the rows; files without a row are left out. */
  readonly order: readonly string[];
}

/**
 * `entries`: all that lies below the top folder `top`; '' for loose files. Undefined where no register is
 * among them, or none that can be used: what is wrong with that one is told when the files are claimed.
 */
export async function lookInDrop(
  layout: ShareLayout,
  words: RegisterWords,
  top: string,
  entries: readonly DropEntry[],
): Promise<DropRegister | undefined> {
  const within = top === '' ? '' : `${top}/`;
  const files = new Map(
    entries
      .filter(({ kind, bytes }) => kind === 'file' && bytes === undefined)
      .map(entry => [entry.path.slice(within.length), entry]),
  );
  const found = await findJobRegister({
    name: top,
    paths: [...files.keys()].sort(comparePaths),
    ...words,
    open: async (path, mostBytes) => {
      const file = files.get(path);
      if (file === undefined) throw new RangeError('A register is one of the files of its job.');
      return await openSheetFile(layout, layout.drop, { path: file.path, facts: file }, mostBytes);
    },
  });
  if (found.kind !== 'register') return undefined;
  return {
    path: `${within}${found.path}`,
    missing: found.matches.missing.length,
    order: found.matches.pairs.map(({ path }) => `${within}${path}`),
  };
}
