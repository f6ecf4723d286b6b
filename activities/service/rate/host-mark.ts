// By what the hosts that share an account's rate limit are told apart. Names do not tell: each container has
// one of its own, and another when it is made anew, though all that share a state folder are one host. So
// the folder has a mark. The start of the machine counts as well: a folder is copied with its mark in it.
import { hash, randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { troubleCodeOf } from '../../host/error-code';
import type { ProcessIdentity } from '../../host/process-identity';
import { makePrivateFile, readPrivateFile } from '../private-file';

/**
 * Stands for this host: the same for all its processes with this folder, another one for each other host.
 * Without a mark, as on a full disk, the name of the host and the path of the folder tell: `onUnmarked` hears
 * why.
 */
export async function markOfHost(
  folder: string,
  { host, boot }: Pick<ProcessIdentity, 'host' | 'boot'>,
  onUnmarked?: (error: unknown) => void,
): Promise<string> {
  const mark = await readMark(join(folder, 'host-mark')).catch(error => {
    if (troubleCodeOf(error) === undefined) throw error;
    onUnmarked?.(error);
    return `${host}\n${resolve(folder)}`;
  });
  return hash('sha256', `${boot || host}\n${mark}`).slice(0, 8);
}

/** Made by whoever comes first. */
async function readMark(path: string): Promise<string> {
  const mark = await readPrivateFile(path, 'the mark of this host');
  if (mark !== null) return mark;
  await makePrivateFile(path, randomUUID());
  return await readMark(path);
}
