// What runs in the browser: read once, packed once, and found by its whole name, so that no path leads out of
// the folder.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isGone } from '../../../activities/host/file-trouble';
import { texts } from '../texts/texts';
import { isApiPath } from './guard';
import { ConsoleProblem } from './module';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};
const PACKED = new Set(['.html', '.js', '.css', '.svg', '.txt']);
/** Its name changes with its content: it never has to be asked for again. */
const HASHED = /-[A-Za-z0-9]{8,}\.[a-z0-9]+$/;
const INDEX = '/index.html';

/** The build has packed what never changes; packing takes longer than all else of a start. */
const PACKED_BESIDE = { br: '.br', gzip: '.gz' } as const;
type Encoding = keyof typeof PACKED_BESIDE;

interface PageFile {
  readonly type: string;
  readonly etag: string;
  readonly isHashed: boolean;
  readonly plain: Buffer;
  /** Packed, where that makes it smaller. */
  readonly packed?: (encoding: Encoding) => Buffer;
}

/** Serves the folder's files; whatever else a person opens is the page itself, which knows its views. */
export function addPage(server: FastifyInstance, folder: string, prefix: string): void {
  const files = readPage(folder, prefix);
  server.get('/*', { exposeHeadRoute: true, config: { anyone: true } }, async (request, reply) => {
    const [path = ''] = request.url.split('?', 1);
    if (isApiPath(path)) throw new ConsoleProblem(404, texts.asked.nothingHere);
    const file = files.get(path) ?? (isOpened(request, path) ? files.get(INDEX) : undefined);
    if (file === undefined) throw new ConsoleProblem(404, texts.asked.nothingHere);
    return await send(file, request, reply);
  });
}

/** Whether a person opens it, rather than the page loading a file. A document's address may end like one. */
function isOpened({ headers }: FastifyRequest, path: string): boolean {
  return extname(path) === '' || (headers.accept?.includes('text/html') ?? false);
}

async function send(file: PageFile, { headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  void reply
    .header('etag', file.etag)
    .header('cache-control', file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
  if (headers['if-none-match'] === file.etag) return reply.code(304).send();
  void reply.type(file.type).header('vary', 'accept-encoding');
  for (const encoding of ['br', 'gzip'] as const) {
    if (file.packed === undefined || !takes(headers['accept-encoding'], encoding)) continue;
    return reply.header('content-encoding', encoding).send(file.packed(encoding));
  }
  return reply.send(file.plain);
}

export function takes(accepted: string | string[] | undefined, encoding: string): boolean {
  return String(accepted ?? '')
    .split(',')
    .some(each => each.trim().split(';')[0] === encoding && !/;\s*q=0(?:\.0*)?\s*$/.test(each));
}

function readPage(folder: string, prefix: string): ReadonlyMap<string, PageFile> {
  return new Map(
    namesIn(folder).map(name => {
      const path = join(folder, name);
      const content = readFileSync(path);
      const isIndex = `/${name}` === INDEX;
      return [`/${name}`, toFile(path, isIndex ? withBase(content, prefix) : content)] as const;
    }),
  );
}

/** When it is first asked for: read as the build has packed it, or packed here. */
function packLater(path: string, plain: Buffer): (encoding: Encoding) => Buffer {
  const known = new Map<Encoding, Buffer>();
  return encoding => {
    const beside = `${path}${PACKED_BESIDE[encoding]}`;
    const packed =
      known.get(encoding) ??
      (HASHED.test(path) && existsSync(beside)
        ? readFileSync(beside)
        : encoding === 'br'
          ? brotliCompressSync(plain)
          : gzipSync(plain));
    known.set(encoding, packed);
    return packed;
  };
}

/** Changes with the page: one that is open learns by it that there is a newer. */
export function pageVersion(folder: string): string {
  const index = namesIn(folder).find(name => `/${name}` === INDEX);
  if (index === undefined) return 'none';
  return etagOf(withBase(readFileSync(join(folder, index)), '')).slice(1, 9);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && TYPES[extname(entry.name)] !== undefined)
      .map(entry =>
        join(entry.parentPath, entry.name)
          .slice(folder.length + 1)
          .replaceAll('\\', '/'),
      );
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

function toFile(path: string, plain: Buffer): PageFile {
  const ending = extname(path);
  return {
    type: TYPES[ending] ?? 'application/octet-stream',
    etag: etagOf(plain),
    isHashed: HASHED.test(path),
    plain,
    ...(PACKED.has(ending) ? { packed: packLater(path, plain) } : {}),
  };
}

function etagOf(plain: Buffer): string {
  return `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
}

/** Addresses in it count from the path prefix, whichever view is opened. */
function withBase(html: Buffer, prefix: string): Buffer {
  const text = html.toString('utf8').replace(/<base\b[^>]*>/i, '');
  return Buffer.from(text.replace(/<head\b[^>]*>/i, head => `${head}<base href="${prefix}/">`));
}
