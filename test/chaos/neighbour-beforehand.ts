// Folders of ours that somebody made before we came: links to elsewhere, or open to all.
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { openShareOf } from './neighbour-claims';
import { hide, lookAtHidden } from './neighbour-oracle';
import type { NeighbourRun } from './neighbour-run';
import { STRANGER } from './neighbour-stranger';

export async function tryBeforehand(input: NeighbourRun): Promise<void> {
  const hidden = join(input.folder, 'hidden');
  const before = JSON.stringify(hide(hidden).files);
  for (const name of ['.drawbridge', 'done', 'attention', 'drop']) {
    const root = join(input.folder, `linked-${name}`);
    mkdirSync(root);
    symlinkSync(hidden, join(root, name));
    const opened = await openShareOf(input.dist, root).catch(() => undefined);
    if (opened !== undefined) input.object('a link in place of a folder of ours is refused', name);
    if (JSON.stringify(lookAtHidden(hidden)) !== before)
      input.object('nothing is written through a link', `${name}: ${readdirSync(hidden)}`);
    // The owner of the share has taken it away.
    unlinkSync(join(root, name));
    await openShareOf(input.dist, root);
  }
  await tryOpenToAll(input);
  if (input.isOtherUser) await tryOfSomebodyElse(input);
  input.note(input.isOtherUser ? 'links, modes and owners' : 'links and modes');
}

async function tryOpenToAll({ dist, folder, object }: NeighbourRun): Promise<void> {
  const root = join(folder, 'open-to-all');
  const own = join(root, '.drawbridge');
  mkdirSync(own, { recursive: true });
  chmodSync(own, 0o777);
  await openShareOf(dist, root);
  const mode = (lstatSync(own).mode & 0o777).toString(8);
  if (mode !== '700') object('our folder is for us alone', `its mode is ${mode}`);
}

async function tryOfSomebodyElse({ dist, folder, object }: NeighbourRun): Promise<void> {
  const root = join(folder, 'of-somebody-else');
  const own = join(root, '.drawbridge');
  mkdirSync(own, { recursive: true });
  chmodSync(own, 0o777);
  chownSync(own, STRANGER, STRANGER);
  const opened = await openShareOf(dist, root).catch(() => undefined);
  if (opened !== undefined) object('our folder belongs to us', 'one of another user was used');
  rmSync(own, { recursive: true });
  await openShareOf(dist, root);
}
