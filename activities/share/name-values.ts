// Field values that people put into file names and folder names, read with the share's patterns. Pure.
import type { ValuesByField } from '../../workflows/contract';
import { folderOf, nameOf } from './drop-names';

export interface NamePatterns {
  readonly fileName?: RegExp;
  readonly folder?: RegExp;
}

/**
 * Compiles one pattern. Its named groups are field names: `^(?<number>[A-Z]+-\d+)_(?<revision>[^.]+)\.`.
 * @throws Error whose message says what is wrong with it.
 */
export function compilePattern(source: string): RegExp {
  const pattern = new RegExp(source, 'u');
  if (!/\(\?<[^=!]/.test(source)) {
    throw new Error('It has no named group such as (?<number>...), so it can give no field a value.');
  }
  return pattern;
}

/** Values by field name; the file name counts more than its folder, and a name that does not match gives nothing. */
export function readNameValues(path: string, patterns: NamePatterns): ValuesByField {
  // Macs write accents decomposed; patterns are written composed.
  return {
    ...groupsOf(patterns.folder, folderOf(path).normalize('NFC')),
    ...groupsOf(patterns.fileName, nameOf(path).normalize('NFC')),
  };
}

function groupsOf(pattern: RegExp | undefined, text: string): ValuesByField {
  const groups = pattern?.exec(text)?.groups;
  if (groups === undefined) return {};
  return Object.fromEntries(
    Object.entries(groups).filter((entry): entry is [string, string] => (entry[1] ?? '').trim() !== ''),
  );
}
