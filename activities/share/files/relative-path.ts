// Paths below a folder of a share, relative to it: as text, and as bytes where they are not UTF-8. Pure.
import { join, sep } from 'node:path';
import type { FsPath } from './share-fs';

/** Where something lies below the drop folder, or below the folder of a batch that it was claimed into. */
export interface RelativePath {
  /** `/` between parts; with replacement characters when it is not UTF-8. */
  readonly path: string;
  /** Its bytes, only when they are not UTF-8: several such paths can look alike. */
  readonly bytes?: Buffer | undefined;
}

/** Its absolute place; `base` is that of the folder. */
export function placeOf(base: string, { path, bytes }: RelativePath): FsPath {
  if (bytes !== undefined) return Buffer.concat([Buffer.from(`${base}/`), bytes]);
  return path === '' ? base : join(base, path);
}

/** The path of something in a folder, by the name that the folder has it under. */
export function inFolder(folder: RelativePath, name: Buffer): RelativePath {
  const text = decodeName(name);
  const shown = text ?? name.toString('utf8');
  const path = folder.path === '' ? shown : `${folder.path}/${shown}`;
  if (text !== undefined && folder.bytes === undefined) return { path };
  const parent = folder.bytes ?? Buffer.from(folder.path);
  return { path, bytes: parent.length === 0 ? name : Buffer.concat([parent, Buffer.from('/'), name]) };
}

/** The name as text when the bytes are UTF-8 that reads back as itself; undefined when it is not. */
export function decodeName(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  // Only a name with a replacement character can have lost anything.
  return text.includes('\uFFFD') && !Buffer.from(text, 'utf8').equals(bytes) ? undefined : text;
}

/**
 * A path inside a folder: parts joined by `/`, none of them empty, `.` or `..`; no NUL. On Windows a
 * backslash parts names, too, and a colon leads to another drive: no file has them in its name there.
 */
export function isInnerPath(path: string, separator: string = sep): boolean {
  return (
    path.length > 0 &&
    !path.includes('\0') &&
    !(separator === '\\' && /[\\:]/.test(path)) &&
    !path.startsWith('/') &&
    path.split('/').every(part => part !== '' && part !== '.' && part !== '..')
  );
}

/** The folder part of a relative path, '' at the top. */
export function folderOf(path: string): string {
  const cut = path.lastIndexOf('/');
  return cut < 0 ? '' : path.slice(0, cut);
}

/** The first folder of a relative path, '' for a file at the top. */
export function topOf(path: string): string {
  return path.slice(0, Math.max(0, path.indexOf('/')));
}

/** The last part of a relative path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** By code units: the same order on every machine, whatever its language. */
export function comparePaths(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
