// Field values that people put into file names and folder names, read with the share's patterns. Pure.
import type { ValuesByField } from '../../../workflows/contract';
import { folderOf, nameOf } from '../files/relative-path';
import { compilePattern, type Pattern } from './pattern';

export interface NamePatterns {
  readonly fileName?: Pattern;
  readonly folder?: Pattern;
}

/** @throws Error for a pattern that cannot be used; checked with the configuration. */
export function compileNamePatterns(config: {
  readonly fileNamePattern?: string | undefined;
  readonly folderPattern?: string | undefined;
}): NamePatterns {
  const { fileNamePattern, folderPattern } = config;
  return {
    ...(fileNamePattern === undefined ? {} : { fileName: compilePattern(fileNamePattern) }),
    ...(folderPattern === undefined ? {} : { folder: compilePattern(folderPattern) }),
  };
}

/**
 * Values by field name; the file name counts more than its folder, and a name
 * that does not match gives nothing.
 */
export function readNameValues(path: string, patterns: NamePatterns): ValuesByField {
  // Macs write accents decomposed; patterns are written composed.
  return {
    ...groupsOf(patterns.folder, folderOf(path).normalize('NFC')),
    ...groupsOf(patterns.fileName, nameOf(path).normalize('NFC')),
  };
}

function groupsOf(pattern: Pattern | undefined, text: string): ValuesByField {
  const groups = Object.entries(pattern?.groupsOf(text) ?? {});
  return Object.fromEntries(groups.filter(([, value]) => value.trim() !== ''));
}
