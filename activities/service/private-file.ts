// Files that hold secrets: readable by their owner only, never through a link, replaced whole and durably.

import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { link, lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isTaken, troubleOf } from '../host/file-trouble';
import { MisconfiguredError } from './errors';

// A record is under 20 KB; anything far beyond is not ours.
const MAX_BYTES = 256_000;
const TOKEN_FILE = "the token store's file";
const TOKEN_FOLDER = "the token store's folder";

/** Makes the folder if need be (0700). Throws MisconfiguredError when it is a link or open to others. */
export async function ensurePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stats = await lstat(folder);
  if (!stats.isDirectory()) throw refusal(TOKEN_FOLDER, 'is no folder (a link, perhaps)');
  checkOwner(stats, TOKEN_FOLDER, 0o700);
}

/** Makes the folder of a file, if need be (0700). What lies beside the folder need not be private. */
export async function makeFolderOf(path: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(dirname(folder), { recursive: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

/**
 * Text of the file; null when there is none. Throws MisconfiguredError when it is a link or open to others;
 * `what` is what its message calls the file.
 */
export async function readPrivateFile(path: string, what = TOKEN_FILE): Promise<string | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    error => {
      if (troubleOf(error) === 'gone') return null;
      if (troubleOf(error) === 'link') throw refusal(what, 'is a symbolic link');
      throw error;
    },
  );
  if (file === null) return null;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw refusal(what, 'is no regular file');
    checkOwner(stats, what, 0o600);
    if (stats.size > MAX_BYTES) throw refusal(what, 'is far too large');
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** Replaces the file as a whole; when it resolves, the content survives a power cut. */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  await throughDraft(path, text, draft => rename(draft, path));
}

/**
 * Makes the file where there is none, and leaves one that is there. Of several processes that start at the
 * same moment one makes it, and the others find it whole.
 */
export async function makePrivateFile(path: string, text: string): Promise<void> {
  await makeFolderOf(path);
  await throughDraft(path, text, async draft => {
    await link(draft, path).catch(error => {
      if (!isTaken(error)) throw error;
    });
    await unlink(draft);
  });
}

async function throughDraft(
  path: string,
  text: string,
  put: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = `${path}.tmp.${randomUUID()}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      // On network file systems a full disk may show only here.
      await file.close();
    }
    await put(draft);
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Removes what a killed writer left behind; call it only while nobody else can write. */
export async function removeDrafts(path: string): Promise<void> {
  const prefix = `${basename(path)}.tmp.`;
  for (const entry of await readdir(dirname(path))) {
    if (entry.startsWith(prefix)) await unlink(join(dirname(path), entry)).catch(() => undefined);
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders; its rename is durable by itself.
  if (process.platform === 'win32') return;
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function checkOwner(stats: Stats, what: string, mode: number): void {
  if (process.platform === 'win32') return;
  if ((stats.mode & 0o077) !== 0) {
    throw refusal(
      what,
      `can be read or written by others; set its mode to ${mode.toString(8).padStart(4, '0')}`,
    );
  }
  if (process.getuid !== undefined && stats.uid !== process.getuid())
    throw refusal(what, 'belongs to another user');
}

function refusal(what: string, why: string): MisconfiguredError {
  return new MisconfiguredError(`${what} ${why}`, { effect: 'not-sent' });
}
