// Looks at what is this host's own: the state folder, the key of the shares. Makes nothing.
import { constants } from 'node:fs';
import { access, lstat, statfs } from 'node:fs/promises';
import { codeOf } from '../../activities/host/error-code';
import { isGone } from '../../activities/host/file-trouble';
import type { Config } from '../../workers/config/config';
import { findShareKey } from '../../workers/share-key';
import { toWhy } from './finding';

export interface StateFolder {
  readonly folder: string;
  readonly kind: 'missing' | 'no-folder' | 'unusable' | 'there';
  /** Of `unusable`. */
  readonly code?: string;
  /** Whether other users of the machine can look into it. */
  readonly isOpen?: boolean;
  readonly isForeign?: boolean;
  readonly freeBytes?: number;
}

export async function lookAtState(folder: string): Promise<StateFolder> {
  try {
    const stats = await lstat(folder);
    if (!stats.isDirectory()) return { folder, kind: 'no-folder' };
    const us = process.getuid?.();
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    const room = await statfs(folder);
    return {
      folder,
      kind: 'there',
      // Windows has no such modes.
      isOpen: us !== undefined && (stats.mode & 0o077) !== 0,
      isForeign: us !== undefined && stats.uid !== us,
      freeBytes: room.bavail * room.bsize,
    };
  } catch (error) {
    if (isGone(error)) return { folder, kind: 'missing' };
    return { folder, kind: 'unusable', code: codeOf(error) ?? 'unknown error' };
  }
}

export interface KeyFacts {
  /** Absent: there is none, or it cannot be used. */
  readonly key?: Buffer;
  readonly from: 'setting' | 'file';
  readonly why?: string;
}

export async function lookAtKey(config: Pick<Config, 'stateDir' | 'shareKey'>): Promise<KeyFacts> {
  const from = config.shareKey === undefined ? 'file' : 'setting';
  try {
    const key = await findShareKey(config);
    return { from, ...(key === undefined ? {} : { key }) };
  } catch (error) {
    return { from, why: toWhy(error) };
  }
}
