// A line of the live view, and the fields of the log records that lines are made from. Any part of the
// process writes records: a field that is not there, or not what it should be, is read as empty.
import type { LogRecord } from '../../workers/logging';
import type { Colour } from '../session/terminal-text';

export interface NarratedLine {
  readonly colour: Colour | undefined;
  /** What happened, in a word or two. */
  readonly verb: string;
  /** What it happened to. */
  readonly subject: string;
  readonly detail: string;
  /** What a person can do, indented below. */
  readonly hints: readonly string[];
}

export interface NarratorContext {
  /** Root folder of a share, for the places that are named. */
  readonly folderOf: (share: string) => string | undefined;
  /** How commands are called here, for example `npm run drawbridge --`. */
  readonly command: string;
}

export function line(
  colour: Colour | undefined,
  verb: string,
  subject: string,
  detail: string,
  hints: readonly string[] = [],
): NarratedLine {
  return { colour, verb, subject, detail, hints };
}

export function text(record: LogRecord, key: string): string {
  const value = record[key];
  return typeof value === 'string' ? value : '';
}

export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(each => typeof each === 'string') : [];
}

export function number(record: LogRecord, key: string): number {
  const value = record[key];
  return typeof value === 'number' ? value : 0;
}

export function reasonOf(record: LogRecord): { code: string; text: string; fix: string } {
  const reason = record.reason;
  if (typeof reason !== 'object' || reason === null)
    return { code: '', text: text(record, 'reason'), fix: '' };
  const fields = reason as LogRecord;
  return { code: text(fields, 'code'), text: text(fields, 'text'), fix: text(fields, 'fix') };
}

export function plural(count: number, word: string, words = `${word}s`): string {
  return `${count} ${count === 1 ? word : words}`;
}

/** The other Temporal that a record tells of. */
export function whoOf(record: LogRecord): string {
  return `namespace "${text(record, 'namespace')}" at ${text(record, 'address')}, on ${text(record, 'holderHost')}`;
}
