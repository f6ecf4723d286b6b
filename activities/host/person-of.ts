// Which person of this machine the number of a file's owner (uid) stands for, by its list of accounts.
import { readFile } from 'node:fs/promises';
import { systemClock } from './clock';

const PEOPLE = '/etc/passwd';
const READ_AGAIN_MS = 60_000;
/** Below it are accounts of the system; 65534 is the account `nobody`. */
const FIRST_PERSON = 1_000;
const NOBODY = 65_534;

let known: { readonly text: string; readonly atMs: number } | undefined;

/**
 * Undefined for no person's uid, and for our own: on a mount that keeps no owners, all files are ours.
 */
export async function personOf(uid: number): Promise<string | undefined> {
  if (uid === process.getuid?.()) return undefined;
  const nowMs = systemClock.monotonicMs();
  if (known === undefined || nowMs - known.atMs > READ_AGAIN_MS) {
    known = { text: await readFile(PEOPLE, 'utf8').catch(() => ''), atMs: nowMs };
  }
  return findPerson(known.text, uid);
}

/** Finds the uid in the text of a passwd file: the person's full name, else the login name. */
export function findPerson(passwd: string, uid: number): string | undefined {
  if (uid < FIRST_PERSON || uid === NOBODY) return undefined;
  for (const line of passwd.split('\n')) {
    const [login = '', , number, , about = '', , shell = ''] = line.split(':');
    if (number !== String(uid)) continue;
    if (/\/(nologin|false)$/.test(shell.trim())) return undefined;
    return about.split(',')[0]?.trim() || login || undefined;
  }
  return undefined;
}
