// Logs: pino's JSON lines to a file or to standard output, with a second net that
// catches secrets on the finished line.
//
// The first net is that secrets never enter a message. This one works on the text of the whole line, so it
// also sees what a library put into an error.
import pino, { type Logger } from 'pino';

import { LogFile } from './log-file';

const MASK = '[redacted]';
const DEFAULT_MAX_BYTES = 50 * 1024 ** 2;
const NAME_CHARACTERS = 300;
const TEXT_CHARACTERS = 4_000;
const NAME_KEYS = new Set(['path', 'fileName', 'file', 'folder', 'name', 'from', 'to']);

/** A JSON member whose name says that its value is nobody's business. */
const SECRET_MEMBER =
  /"([^"\\]{0,60}(?:authorization|cookie|secret|password|passwd|api[_-]?key|private[_-]?key|(?:access|refresh|id|bearer)[_-]?token|presigned|signature)[^"\\]{0,20}|token)":\s*"(?:[^"\\]|\\.)*"/gi;
const BEARER = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/g;
/**
 * It is the query that makes a presigned address a secret; the rest may be read. The pattern is bounded, for
 * a line may hold anything.
 */
const URL_QUERY = /(\b[a-z][a-z0-9+.-]{1,10}:\/\/[^\s"'\\?#]{0,1000})[?#][^\s"'\\]*/gi;
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]{1,10}:\/\/)[^\s"'\\/@]{1,300}@/gi;
const FORM_SECRET = /\b((?:client_secret|access_token|refresh_token|code|password)=)[^&\s"'\\]+/gi;
/** Secret parts of a presigned address that is damaged, so that URL_QUERY does not fit it. */
const SIGNED = /((?:signature|credential|security-token)=)[^&\s"'\\]+/gi;
/** Invisible or direction-changing: could make a line read differently from what it says. */
const DECEIVING = /[\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

export type LogRecord = Readonly<Record<string, unknown>>;

export interface LoggingInput {
  readonly level: string;
  /** Absolute; absent: standard output. Its folder is created. */
  readonly file?: string | undefined;
  /** At this size the file becomes `<name>.1` and is begun anew. */
  readonly maxBytes?: number | undefined;
  /** Sees every record that carries an `event`, for a live view. */
  readonly onEvent?: ((record: LogRecord) => void) | undefined;
}

export type { Logger } from 'pino';

/** The logger of a process. Lines are whole once the call returns. */
export function createLogger(input: LoggingInput): Logger {
  const sink = openSink(input);
  const { onEvent } = input;
  // Somebody who looks on live sees what happens even when the file is to hold warnings only.
  const level = onEvent !== undefined && isQuieter(input.level, 'info') ? 'info' : input.level;
  const destination = {
    write: (line: string): void => {
      const record = onEvent === undefined ? undefined : (JSON.parse(line) as LogRecord);
      if (record === undefined || !isQuieter(input.level, String(record.level))) sink.write(line);
      if (record?.event !== undefined) onEvent?.(record);
    },
  };
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }), log: shortenTexts },
      serializers: { err: describeError, error: describeError },
      hooks: { streamWrite: redactLine },
    },
    destination,
  );
}

/**
 * Masks secrets and makes deceiving characters visible in one finished JSON line; the line stays valid JSON.
 */
export function redactLine(line: string): string {
  return line
    .replace(SECRET_MEMBER, (_member, name: string) => `"${name}":"${MASK}"`)
    .replace(URL_QUERY, `$1?${MASK}`)
    .replace(URL_PASSWORD, `$1${MASK}@`)
    .replace(BEARER, `$1 ${MASK}`)
    .replace(FORM_SECRET, `$1${MASK}`)
    .replace(SIGNED, `$1${MASK}`)
    .replace(DECEIVING, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * What may be known of an error: allow-listed fields, three causes deep; anything else
 * an error drags along stays out.
 */
export function describeError(error: unknown, depth = 0): unknown {
  if (typeof error !== 'object' || error === null) return shorten(String(error), TEXT_CHARACTERS);
  const fields = error as Record<string, unknown>;
  const kept: Record<string, unknown> = {};
  for (const key of ['name', 'type', 'code', 'effect', 'status', 'route', 'nonRetryable']) {
    const value = fields[key];
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      kept[key] = value;
  }
  for (const key of ['message', 'stack']) {
    const value = fields[key];
    if (typeof value === 'string') kept[key] = shorten(value, TEXT_CHARACTERS);
  }
  if (fields.cause !== undefined && depth < 3) kept.cause = describeError(fields.cause, depth + 1);
  return kept;
}

function isQuieter(level: string, than: string): boolean {
  return (pino.levels.values[level] ?? 0) > (pino.levels.values[than] ?? 0);
}

function openSink({ file, maxBytes }: LoggingInput): { write(line: string): unknown } {
  if (file === undefined) return process.stdout;
  return new LogFile(file, maxBytes ?? DEFAULT_MAX_BYTES);
}

function shortenTexts(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      typeof value === 'string'
        ? shorten(value, NAME_KEYS.has(key) ? NAME_CHARACTERS : TEXT_CHARACTERS)
        : value,
    ]),
  );
}

function shorten(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters)}… (${text.length} characters)`;
}
