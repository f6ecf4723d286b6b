// Which files of a folder stay in the drop folder, because no row of a register is about them and the share
// leaves such files where they are. Noted on the share: the register goes away with its files, and whoever
// looks at the folder after that, on whatever host, is to leave the same ones.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { ifThere } from '../files/if-there';
import { type MarkKind, NOT_OURS, type OnNotOurs, readMark, toMarkText } from '../files/own-marks';
import { comparePaths } from '../files/relative-path';
import type { ShareLayout } from '../files/share-layout';
import { writeOver } from '../files/write-whole';

const leftSchema = z.strictObject({
  version: z.literal(1),
  /** Below the top folder, in order. */
  paths: z.array(z.string().max(8_192)),
});

const LEFT: MarkKind<z.infer<typeof leftSchema>> = {
  kind: 'left',
  label: 'The note of files that stay',
  schema: leftSchema,
};

/** Paths below this top folder of the drop. */
export async function readLeft(
  layout: ShareLayout,
  top: string,
  onNotOurs: OnNotOurs,
): Promise<ReadonlySet<string>> {
  const { fs, seals } = layout;
  const note = await readMark(fs, seals, LEFT, noteOf(layout, top), top, onNotOurs);
  return new Set(note === undefined || note === NOT_OURS ? [] : note.paths);
}

/** Notes `paths` in place of what was noted of this folder `before`. */
export async function noteLeft(
  layout: ShareLayout,
  top: string,
  before: ReadonlySet<string>,
  paths: ReadonlySet<string>,
): Promise<void> {
  const { fs, seals, own } = layout;
  if (before.size === paths.size && [...paths].every(path => before.has(path))) return;
  const note = noteOf(layout, top);
  if (paths.size === 0) {
    await ifThere(fs.unlink(note));
    return;
  }
  await fs.makeFolders(own, join(own, 'left'));
  const sorted = [...paths].sort(comparePaths);
  await writeOver(fs, note, toMarkText(seals, LEFT, top, { version: 1, paths: sorted }));
}

function noteOf({ own }: ShareLayout, top: string): string {
  return join(own, 'left', `${hash('sha256', top).slice(0, 20)}.json`);
}
