// Where things are on a share. The roots are resolved once, by realpath; every path that is written is made here or
// below a folder made here.
import { dirname, join, sep } from 'node:path';
import { isInnerPath } from './drop-names';
import { OWN_FOLDER, SHARE_DEFAULTS, type ShareConfig } from './share-config';
import { codeOf, isGone, type ShareFault, ShareFaultsError } from './share-error';
import { type FsPath, type ShareFs, temporaryName } from './share-fs';

export interface ShareLayout {
  readonly root: string;
  readonly drop: string;
  readonly done: string;
  readonly attention: string;
  readonly own: string;
  readonly batches: string;
  readonly finished: string;
  readonly keys: string;
  /** Device and inode of the root when it was resolved: another one means another file system, or none, is there. */
  readonly rootIdentity: string;
  readonly rootDevice: bigint;
  readonly dropIdentity: string;
}

/** Paths of one batch that is still open. */
export interface BatchPaths {
  readonly folder: string;
  readonly claim: string;
  readonly files: string;
  readonly manifest: string;
  readonly journal: string;
  readonly receipt: string;
  readonly receiptSoFar: string;
}

const PROBE = '.drawbridge-probe';
const BATCH_ID = /^\d{8}-\d{6}-[a-z2-7]{6}$/;

export function isBatchId(text: string): boolean {
  return BATCH_ID.test(text);
}

export function batchPaths(folder: string): BatchPaths {
  return {
    folder,
    claim: join(folder, 'claim.json'),
    files: join(folder, 'files'),
    manifest: join(folder, 'batch.json'),
    journal: join(folder, 'journal'),
    receipt: join(folder, 'receipt.json'),
    receiptSoFar: join(folder, 'receipt-so-far.json'),
  };
}

/** Where a finished batch is kept: out of the way, by month, so that looking for open ones stays cheap for years. */
export function finishedFolder(layout: ShareLayout, batchId: string): string {
  return join(layout.finished, batchId.slice(0, 6), batchId);
}

/** An absolute path below `base` for a relative one that people chose. Throws when it would lead elsewhere. */
export function below(base: string, path: string): string {
  if (!isInnerPath(path)) throw new Error('A relative path leads out of its folder.');
  return join(base, ...path.split('/'));
}

/** The same for raw bytes: `/`-separated, no part empty, `.` or `..`. */
export function belowBytes(base: string, path: Buffer): Buffer {
  if (!isInnerPath(path.toString('latin1'))) throw new Error('A relative path leads out of its folder.');
  return Buffer.concat([Buffer.from(base + sep), path]);
}

/** The folder of a path, in the kind the path has. */
export function parentOf(path: FsPath): FsPath {
  if (typeof path === 'string') return dirname(path);
  return path.subarray(0, Math.max(1, path.lastIndexOf(0x2f)));
}

/**
 * Creates what is missing, resolves the roots and checks them: folders, distinct, not nested, on one device, writable.
 * @throws ShareFaultsError with everything that is wrong.
 */
export async function resolveLayout(
  config: ShareConfig,
  fs: ShareFs,
  mayCreateRoot: boolean,
): Promise<ShareLayout> {
  const faults: ShareFault[] = [];
  const root = await resolveRoot(config.folder, fs, mayCreateRoot, faults);
  if (root === undefined) throw new ShareFaultsError(config.name, faults);

  const rootFacts = await fs.look(root);
  const resolved = new Map<string, string>();
  for (const setting of ['drop', 'done', 'attention'] as const) {
    const path = await resolveFolder(
      setting,
      join(root, config[setting] ?? SHARE_DEFAULTS[setting]),
      fs,
      faults,
    );
    if (path !== undefined) resolved.set(setting, path);
  }
  const own = await resolveFolder('folder', join(root, OWN_FOLDER), fs, faults);
  if (own !== undefined) resolved.set(OWN_FOLDER, own);

  checkApart(resolved, faults);
  for (const [setting, path] of resolved) {
    const { device } = await fs.look(path);
    if (device !== rootFacts.device) {
      faults.push({
        setting,
        text: `${path} is on another disk or mount than the share.`,
        fix: 'All folders of a share must be on the same one, or files cannot be claimed by renaming.',
      });
    }
  }
  if (faults.length === 0 && own !== undefined) await checkWritable(resolved, own, fs, faults);
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
    root,
    drop,
    done,
    attention,
    own,
    batches: join(own, 'batches'),
    finished: join(own, 'finished'),
    keys: join(own, 'keys'),
    rootIdentity: rootFacts.identity,
    rootDevice: rootFacts.device,
    dropIdentity: (await fs.look(drop)).identity,
  };
  for (const folder of [layout.batches, layout.finished, layout.keys])
    await fs.makeFolder(folder, { parents: true });
  return layout;
}

async function resolveRoot(
  folder: string,
  fs: ShareFs,
  mayCreate: boolean,
  faults: ShareFault[],
): Promise<string | undefined> {
  try {
    if (mayCreate) await fs.makeFolder(folder, { parents: true });
    const root = await fs.realpath(folder);
    if ((await fs.look(root)).kind === 'folder') return root;
    faults.push({ setting: 'folder', text: `${folder} is not a folder.`, fix: 'Give the path of a folder.' });
  } catch (error) {
    faults.push(
      isGone(error)
        ? {
            setting: 'folder',
            text: `${folder} is not there.`,
            fix: 'Mount the share, or create the folder.',
          }
        : {
            setting: 'folder',
            text: `${folder} cannot be used (${codeOf(error) ?? 'unknown error'}).`,
            fix: 'Check the path and the permissions.',
          },
    );
  }
  return undefined;
}

async function resolveFolder(
  setting: string,
  path: string,
  fs: ShareFs,
  faults: ShareFault[],
): Promise<string | undefined> {
  try {
    await fs.makeFolder(path, { parents: true, private: setting === 'folder' });
    const resolved = await fs.realpath(path);
    if ((await fs.look(resolved)).kind === 'folder') return resolved;
    faults.push({ setting, text: `${path} is not a folder.`, fix: 'Remove it or name another folder.' });
  } catch (error) {
    faults.push({
      setting,
      text: `${path} cannot be made or opened (${codeOf(error) ?? 'unknown error'}).`,
      fix: 'Check the permissions of the share and that no file has this name.',
    });
  }
  return undefined;
}

function checkApart(resolved: ReadonlyMap<string, string>, faults: ShareFault[]): void {
  const entries = [...resolved];
  for (const [setting, path] of entries) {
    for (const [other, otherPath] of entries) {
      if (setting === other) continue;
      if (path === otherPath ? setting < other : path.startsWith(otherPath + sep)) {
        faults.push({
          setting,
          text:
            path === otherPath
              ? `It is the same folder as ${other}.`
              : `It lies inside the folder of ${other}.`,
          fix: 'Give each of them a folder of its own, side by side.',
        });
      }
    }
  }
}

/** Writes and removes a file in each folder: rights and read-only mounts show here instead of at the first claim. */
async function checkWritable(
  resolved: ReadonlyMap<string, string>,
  own: string,
  fs: ShareFs,
  faults: ShareFault[],
): Promise<void> {
  for (const [setting, folder] of resolved) {
    const probe = join(own, temporaryName());
    // Always the same name, which nobody else uses: what a crash leaves is taken away by the next start.
    const moved = join(folder, PROBE);
    try {
      await fs.writeNew(probe, '');
      await fs.rename(probe, moved);
      await fs.unlink(moved).catch(error => {
        if (!isGone(error)) throw error;
      });
    } catch (error) {
      // A full share is no fault of the configuration; it is met, and waited out, while running.
      if (codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT') return;
      faults.push({
        setting,
        text: `${folder} cannot be written (${codeOf(error) ?? 'unknown error'}).`,
        fix: 'Give the account Drawbridge runs under the right to create, rename and delete there.',
      });
      await fs.unlink(probe).catch(() => undefined);
    }
  }
}
