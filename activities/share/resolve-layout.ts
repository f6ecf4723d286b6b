// Finds out where things are on a share, makes what is missing, and says all that is wrong with it at once.
import { join, sep } from 'node:path';
import { codeOf, hasCode } from '../host/error-code';
import { isFull, isGone, type SystemCode } from '../host/file-trouble';
import { ifThere, unlinkIfThere } from './files/if-there';
import { pathOfBase } from './files/open-folder';
import { isNoFolder } from './files/real-folder';
import type { Seals } from './files/seals';
import { ShareError, type ShareFault, ShareFaultsError } from './files/share-error';
import { type OpenFolder, Place, type ShareFs, temporaryName } from './files/share-fs';
import type { ShareLayout } from './files/share-layout';
import { writeOnce } from './files/write-whole';
import { OWN_FOLDER, SHARE_DEFAULTS, type ShareConfig } from './share-config';

const TRIAL_FILE = '.drawbridge-probe';
const KEY_ID = 'key-id';

/**
 * What may be made on the way: a share that is not mounted must not be made, and who only looks makes
 * nothing.
 */
export type Making = 'all' | 'below-root' | 'nothing';

type TellFault = (setting: string, text: string, fix: string) => void;

/**
 * Creates what is missing and may be made, resolves the roots and checks them: folders, distinct, not
 * nested, on one device, writable.
 * @param identity of the root, where it was looked at before: nothing is made in another one.
 * @throws ShareFaultsError with everything that is wrong; ShareError `share-away` for another root.
 */
export async function resolveLayout(
  config: ShareConfig,
  fs: ShareFs,
  seals: Seals,
  making: Making,
  identity?: string,
): Promise<ShareLayout> {
  const faults: ShareFault[] = [];
  const fault: TellFault = (setting, text, fix) => void faults.push({ setting, text, fix });
  const path = await resolveRoot(config.folder, fs, making === 'all', fault);
  // Held, so that nothing is made in what stands in its place when it goes meanwhile.
  const held = path === undefined ? undefined : await holdRoot(path, fs, fault);
  if (held === undefined) throw new ShareFaultsError(config.name, faults);
  try {
    if (identity !== undefined && (await fs.look(new Place(held, '.'))).identity !== identity)
      throw new ShareError('share-away', 'Another folder has come into the place of the share.');
    return await resolveBelow(held, config, seals, { fs, making, fault, faults });
  } finally {
    await held.close();
  }
}

async function resolveBelow(
  held: OpenFolder,
  config: ShareConfig,
  seals: Seals,
  { faults, ...checking }: Checking & { readonly faults: readonly ShareFault[] },
): Promise<ShareLayout> {
  const { fs, making, fault } = checking;
  const root = pathOfBase(held);
  const rootFacts = await fs.look(new Place(held, '.'));
  const resolved = new Map<string, string>();
  for (const setting of ['drop', 'done', 'attention'] as const) {
    const configured = config[setting] ?? SHARE_DEFAULTS[setting];
    const path = await resolveFolder(setting, held, join(root, configured), checking);
    if (path !== undefined) resolved.set(setting, path);
  }
  const own = await resolveFolder(OWN_FOLDER, held, join(root, OWN_FOLDER), checking);
  if (own !== undefined) resolved.set(OWN_FOLDER, own);

  checkApart(resolved, fault);
  for (const [setting, path] of resolved) {
    const { device } = await fs.look(path);
    if (device !== rootFacts.device) {
      const fix = 'All folders of a share must be on the same one, or files cannot be claimed by renaming.';
      fault(setting, `${path} is on another disk or mount than the share.`, fix);
    }
  }
  if (faults.length === 0 && own !== undefined) await checkOurs(own, checking);
  if (faults.length === 0 && own !== undefined) await checkWritable(resolved, own, fs, fault);
  if (faults.length === 0 && own !== undefined) await checkKey(own, seals, checking);
  const [drop, done, attention] = ['drop', 'done', 'attention'].map(setting => resolved.get(setting));
  if (
    faults.length > 0 ||
    drop === undefined ||
    done === undefined ||
    attention === undefined ||
    own === undefined
  ) {
    throw new ShareFaultsError(config.name, faults);
  }

  const layout: ShareLayout = {
    fs,
    root,
    drop,
    done,
    attention,
    own,
    batches: join(own, 'batches'),
    finished: join(own, 'finished'),
    keys: join(own, 'keys'),
    jobs: join(own, 'jobs'),
    finishedJobs: join(own, 'finished-jobs'),
    corrections: join(own, 'corrections'),
    watch: join(own, 'watch.json'),
    temporals: join(own, 'temporals'),
    rootIdentity: rootFacts.identity,
    rootDevice: rootFacts.device,
    dropIdentity: (await fs.look(drop)).identity,
    seals,
    project: config.project,
    delimiter: config.receiptDelimiter,
  };
  if (making === 'nothing') return layout;
  const { batches, finished, keys, jobs, finishedJobs } = layout;
  for (const folder of [batches, finished, keys, jobs, finishedJobs]) await fs.makeFolders(held, folder);
  return layout;
}

async function resolveRoot(
  folder: string,
  fs: ShareFs,
  mayCreate: boolean,
  fault: TellFault,
): Promise<string | undefined> {
  try {
    if (mayCreate) await fs.makeRoot(folder);
    const root = await fs.realpath(folder);
    if ((await fs.look(root)).kind === 'folder') return root;
    fault('folder', `${folder} is not a folder.`, 'Give the path of a folder.');
  } catch (error) {
    if (isGone(error)) fault('folder', `${folder} is not there.`, 'Mount the share, or create the folder.');
    else
      fault('folder', `${folder} cannot be used (${saidBy(error)}).`, 'Check the path and the permissions.');
  }
  return undefined;
}

async function holdRoot(root: string, fs: ShareFs, fault: TellFault): Promise<OpenFolder | undefined> {
  try {
    return await fs.openFolder(root, root);
  } catch (error) {
    const fix = 'Mount the share, and check the permissions of its folder.';
    fault('folder', `${root} cannot be opened (${saidBy(error)}).`, fix);
    return undefined;
  }
}

interface Checking {
  readonly fs: ShareFs;
  readonly making: Making;
  readonly fault: TellFault;
}

async function resolveFolder(
  setting: string,
  root: OpenFolder,
  path: string,
  { fs, making, fault }: Checking,
): Promise<string | undefined> {
  try {
    // The root was resolved: a link from here is one that whoever may write to the share can have made.
    const isFolder = await openOrMake(setting, root, path, { fs, making }).catch(error => {
      if (isNoFolder(error)) return false;
      throw error;
    });
    if (isFolder) return path;
    if (await isLink(path, fs)) {
      const fix = 'Remove the link; this must be a folder of the share itself.';
      fault(setting, `${path} is a link, or lies behind one.`, fix);
    } else fault(setting, `${path} is not a folder.`, 'Remove it or name another folder.');
  } catch (error) {
    if (making === 'nothing' && isGone(error)) {
      fault(setting, `${path} is not there.`, 'Create it, or start Drawbridge again: it makes the folder.');
      return undefined;
    }
    const fix = 'Check the permissions of the share and that no file has this name.';
    fault(setting, `${path} cannot be made or opened (${saidBy(error)}).`, fix);
  }
  return undefined;
}

async function openOrMake(
  setting: string,
  root: OpenFolder,
  path: string,
  { fs, making }: Pick<Checking, 'fs' | 'making'>,
): Promise<true> {
  if (making === 'nothing') await (await fs.openFolder(root, path)).close();
  else await fs.makeFolders(root, path, { private: setting === OWN_FOLDER });
  return true;
}

/** It leads to a folder, though it is none. */
async function isLink(path: string, fs: ShareFs): Promise<boolean> {
  return await fs.realpath(path).then(
    async place => (await fs.look(place)).kind === 'folder',
    () => false,
  );
}

function checkApart(resolved: ReadonlyMap<string, string>, fault: TellFault): void {
  const entries = [...resolved];
  for (const [setting, path] of entries) {
    for (const [other, otherPath] of entries) {
      if (setting === other) continue;
      if (path === otherPath ? setting < other : path.startsWith(otherPath + sep)) {
        const where = path === otherPath ? 'is the same folder as' : 'lies inside the folder of';
        fault(setting, `It ${where} ${other}.`, 'Give each of them a folder of its own, side by side.');
      }
    }
  }
}

/**
 * Our own folder is ours alone: what lies in it is followed. Where a file system keeps no
 * owners or modes, the seals guard it.
 */
async function checkOurs(own: string, { fs, making, fault }: Checking): Promise<void> {
  const us = process.getuid?.();
  if (us === undefined) return;
  try {
    const keeps = await seeWhatIsKept(own, fs);
    const { owner, mode } = await fs.look(own);
    if (keeps.owners && owner !== us) {
      const fix = `Give it, with all it holds, to user ${us}.`;
      fault(OWN_FOLDER, `${own} belongs to another user (${owner}).`, fix);
    } else if (keeps.modes && (mode & 0o077) !== 0) {
      if (making === 'nothing') fault(OWN_FOLDER, `${own} is open to others.`, 'Set its mode to 0700.');
      else await fs.makePrivate(own);
    }
  } catch (error) {
    // Trouble of the share itself is told by the checks that follow. By its code, since the meaning would not
    // do: EACCES is said of the folders above, EPERM alone of a mode that is another's.
    if (!hasCode<SystemCode>(error, 'EPERM')) return;
    fault(OWN_FOLDER, `${own} is open to others, and its mode cannot be changed.`, 'Set its mode to 0700.');
  }
}

/** Asked of a folder made for it: some mounts give everything one owner and one mode. */
async function seeWhatIsKept(own: string, fs: ShareFs): Promise<{ owners: boolean; modes: boolean }> {
  const trial = join(own, temporaryName());
  await fs.makeFolder(trial, { private: true });
  try {
    const { owner, mode } = await fs.look(trial);
    return { owners: owner === process.getuid?.(), modes: (mode & 0o077) === 0 };
  } finally {
    await fs.removeFolder(trial).catch(() => undefined);
  }
}

/**
 * The first host to open the share says which key it is sealed with; others find out
 * here, instead of batch by batch.
 */
async function checkKey(own: string, seals: Seals, { fs, making, fault }: Checking): Promise<void> {
  const path = join(own, KEY_ID);
  try {
    const known = await readKeyId(own, fs);
    if (known === undefined && making === 'nothing') return;
    if (known === undefined) await writeOnce(fs, path, `${seals.keyId}\n`);
    const agreed = known ?? (await readKeyId(own, fs));
    if (agreed === undefined || agreed === seals.keyId) return;
    fault(
      'shareKey',
      `This share is sealed with another key (${agreed.slice(0, 16)}) than this host has (${seals.keyId}).`,
      'Give all hosts of a share the same key, with the setting "shareKey" or the file share-key of the state folder (docs/cluster.md).',
    );
  } catch (error) {
    if (isFull(error)) return;
    const text = `${path} cannot be read or written (${saidBy(error)}).`;
    fault(OWN_FOLDER, text, 'Check the permissions of the share.');
  }
}

/** Which key the share is sealed with; undefined while nobody has said. */
export async function readKeyId(own: string, fs: ShareFs): Promise<string | undefined> {
  return (await ifThere(fs.read(join(own, KEY_ID), 1_000)))?.toString('utf8').trim();
}

/**
 * Writes and removes a file in each folder: rights and read-only mounts show here
 * instead of at the first claim.
 */
async function checkWritable(
  resolved: ReadonlyMap<string, string>,
  own: string,
  fs: ShareFs,
  fault: TellFault,
): Promise<void> {
  for (const [setting, folder] of resolved) {
    const trial = join(own, temporaryName());
    // Always the same name, which nobody else uses: what a crash leaves is taken away by the next start.
    const moved = join(folder, TRIAL_FILE);
    try {
      await fs.writeNew(trial, '');
      await fs.rename(trial, moved);
      await unlinkIfThere(fs, moved);
    } catch (error) {
      // A full share is no fault of the configuration; it is met, and waited out, while running.
      if (isFull(error)) return;
      const fix = 'Give the account Drawbridge runs under the right to create, rename and delete there.';
      fault(setting, `${folder} cannot be written (${saidBy(error)}).`, fix);
      await fs.unlink(trial).catch(() => undefined);
    }
  }
}

function saidBy(error: unknown): string {
  return codeOf(error) ?? 'unknown error';
}
