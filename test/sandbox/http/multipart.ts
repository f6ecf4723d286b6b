/**
 * multipart/form-data with files in it: nested fields as the brackets of their
 * names say, files by hash and size.
 */
import { createHash } from 'node:crypto';

export interface ReceivedFile {
  fileName: string;
  contentType: string;
  sizeBytes: number;
  sha256: string;
}

/**
 * The fields as one object, files among them where their names put them; null
 * when the body is not what it says.
 */
export function parseMultipartTree(body: Buffer, contentType: string): Record<string, unknown> | null {
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType)?.[1];
  if (boundary === undefined) return null;
  const tree: Record<string, unknown> = {};
  const marker = Buffer.from(`--${boundary}`);
  let at = body.indexOf(marker);
  if (at !== 0) return null;
  for (;;) {
    const start = at + marker.length;
    if (body.subarray(start, start + 2).toString() === '--') return tree;
    const next = body.indexOf(Buffer.concat([Buffer.from('\r\n'), marker]), start);
    const headEnd = body.indexOf('\r\n\r\n', start);
    if (next < 0 || headEnd < 0 || headEnd > next) return null;
    const head = body.subarray(start, headEnd).toString('utf8');
    const name = /[; ]name="([^"]*)"/i.exec(head)?.[1];
    if (name === undefined) return null;
    const fileName = /filename="([^"]*)"/i.exec(head)?.[1];
    const content = body.subarray(headEnd + 4, next);
    const type = /content-type: *([^\r\n]+)/i.exec(head)?.[1] ?? 'application/octet-stream';
    put(tree, name, fileName === undefined ? content.toString('utf8') : fileOf(content, fileName, type));
    at = next + 2;
  }
}

function fileOf(content: Buffer, fileName: string, contentType: string): ReceivedFile {
  return {
    fileName: fileName.replace(/%22/g, '"').replace(/%0D/g, '\r').replace(/%0A/g, '\n'),
    contentType,
    sizeBytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  };
}

/** `a[b][]` appends to the list b of a. */
function put(tree: Record<string, unknown>, name: string, value: unknown): void {
  const [first = '', ...rest] = name.split('[').map(part => part.replace(/\]$/, ''));
  let place: Record<string, unknown> = tree;
  let key = first;
  for (const part of rest) {
    if (part === '') {
      place[key] = [...((place[key] as unknown[] | undefined) ?? []), value];
      return;
    }
    const inner = (place[key] as Record<string, unknown> | undefined) ?? {};
    place[key] = inner;
    place = inner;
    key = part;
  }
  place[key] = value;
}
