// What a file's name alone tells: its media type, and whether a document can be called so. Pure.
import { lookup } from 'mime-types';
import { nameOf } from '../files/relative-path';

/** By the ending of the name: the content is not looked into. */
export function mimeTypeOf(path: string): string {
  return lookup(nameOf(path)) || 'application/octet-stream';
}

/** Longest file name the service is asked to take, in bytes of UTF-8. */
const MAX_NAME_BYTES = 255;

export type NameFault = 'control-characters' | 'direction-marks' | 'blank-name' | 'too-long';

/**
 * What keeps a file name from being a document's name: line breaks and the like,
 * marks that disguise it, its length.
 */
export function findNameFault(name: string): NameFault | undefined {
  for (const character of name) {
    const point = character.codePointAt(0) ?? 0;
    if (point < 0x20 || (point >= 0x7f && point < 0xa0) || point === 0x2028 || point === 0x2029) {
      return 'control-characters';
    }
    // Bidirectional overrides and isolates make "fdp.exe" read as "exe.pdf".
    if ((point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069))
      return 'direction-marks';
  }
  if (/^[\s\p{Cf}]*$/u.test(name)) return 'blank-name';
  return Buffer.byteLength(name) > MAX_NAME_BYTES ? 'too-long' : undefined;
}
