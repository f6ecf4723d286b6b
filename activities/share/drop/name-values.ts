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
  return traceNameValues(path, patterns).values;
}

export interface NameValues {
  readonly values: ValuesByField;
  /** Those of them that the folder gave. */
  readonly fromFolder: readonly string[];
}

/** The same, with where each value is from. */
export function traceNameValues(path: string, patterns: NamePatterns): NameValues {
  // Macs write accents decomposed; patterns are written composed.
  const ofFolder = groupsOf(patterns.folder, folderOf(path).normalize('NFC'));
  const ofName = groupsOf(patterns.fileName, nameOf(path).normalize('NFC'));
  return {
    values: { ...ofFolder, ...ofName },
    fromFolder: Object.keys(ofFolder).filter(name => !Object.hasOwn(ofName, name)),
  };
}

function groupsOf(pattern: Pattern | undefined, text: string): ValuesByField {
  const groups = Object.entries(pattern?.groupsOf(text) ?? {});
  return Object.fromEntries(groups.filter(([, value]) => value.trim() !== ''));
}
