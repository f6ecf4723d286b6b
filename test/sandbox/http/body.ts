/** Reading request bodies: JSON checked by a schema, and the two kinds of form. */
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { invalidProperty, plainError, Refusal, refusal } from './answer';
import { parseMultipartTree } from './multipart';

/** Longest body of the API and the authentication origin. */
const LONGEST_BODY_BYTES = 20 * 1024 * 1024;
/** The same where files may come along. */
const LONGEST_BODY_WITH_FILES_BYTES = 200 * 1024 * 1024;

/** A file's name as Steps 4 and 5 take it. */
export const fileName = z
  .string()
  .min(1)
  .max(255)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  .regex(/^[^\u0000-\u001f\u007f]+$/, 'a name without control characters');

/** RFC 6838: type and subtype, each of at most 127 characters. */
export const mediaType = z
  .string()
  .regex(/^[a-z0-9][\w.+!#$&^-]{0,126}\/[a-z0-9][\w.+!#$&^-]{0,126}$/i, 'a media type');

/** The whole body; throws Refusal when it is too long, the stream's error when the client goes away. */
export async function readBody(request: IncomingMessage, withFiles = false): Promise<Buffer> {
  const longest = withFiles ? LONGEST_BODY_WITH_FILES_BYTES : LONGEST_BODY_BYTES;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > longest) throw new Refusal(plainError(413, 'the body is too long'));
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Parses JSON; the Content-Type must say that it is. */
export function parseJson(body: Buffer, contentType: string | undefined): unknown {
  if (typeOf(contentType) !== 'application/json') {
    throw refusal(415, 'UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be application/json');
  }
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    throw invalidProperty([{ field: 'body', message: 'not valid JSON' }]);
  }
}

/** JSON, or `multipart/form-data` as one object with the files in it; anything else is refused. */
export function parseJsonOrFiles(body: Buffer, contentType: string | undefined): unknown {
  if (typeOf(contentType) !== 'multipart/form-data') return parseJson(body, contentType);
  const tree = parseMultipartTree(body, contentType ?? '');
  if (tree === null) throw new Refusal(plainError(400, 'not valid multipart/form-data'));
  return tree;
}

/** Parses `application/x-www-form-urlencoded` or `multipart/form-data`; null for anything else. */
export function parseForm(body: Buffer, contentType: string | undefined): Record<string, string> | null {
  const type = typeOf(contentType);
  if (type === 'application/x-www-form-urlencoded') {
    return Object.fromEntries(new URLSearchParams(body.toString('utf8')));
  }
  if (type !== 'multipart/form-data') return null;
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType ?? '')?.[1];
  return boundary === undefined ? null : parseMultipart(body.toString('utf8'), boundary);
}

/** The body as the schema says, or 400 INVALID_PROPERTY with one detail for each fault. */
export function checkBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw invalidProperty(
    result.error.issues.flatMap(issue => {
      const path = pathOf(issue.path);
      if (issue.code !== 'unrecognized_keys') return [{ field: path || 'body', message: issue.message }];
      return issue.keys.map(key => ({ field: path ? `${path}.${key}` : key, message: 'unknown property' }));
    }),
  );
}

function typeOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text ? `${text}.${String(key)}` : String(key),
    '',
  );
}

function parseMultipart(text: string, boundary: string): Record<string, string> {
  const form: Record<string, string> = {};
  for (const part of text.split(`--${boundary}`)) {
    const split = part.indexOf('\r\n\r\n');
    const name = split < 0 ? undefined : /name="([^"]*)"/i.exec(part.slice(0, split))?.[1];
    if (name !== undefined) form[name] = part.slice(split + 4).replace(/\r\n$/, '');
  }
  return form;
}
