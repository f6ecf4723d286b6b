/**
 * The storage origin, a foreign host: it takes the bytes of segments, and knows
 * presigned addresses and nothing else.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FileUpload } from '../entities';
import { spoil, takesEffect } from '../faults/spoil';
import type { Answer } from '../http/answer';
import { type Fate, respond, statusOf } from '../http/respond';
import { STORAGE_PUT } from '../routes';
import { fileState } from '../rules/file-state';
import type { World } from '../world';
import { type ByteStore, matchesSegment } from './byte-store';
import { type PresignedTarget, readPresigned, segmentHeaders } from './presigned';

/** What HTTP itself needs, besides the headers that were handed out. */
const TRANSPORT_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'connection',
  'keep-alive',
]);

/** A request that storage would serve, unless a fault strikes. */
interface Delivery {
  file: FileUpload;
  target: PresignedTarget;
}

/** Serves the storage origin. */
export function vault(
  world: World,
  store: ByteStore,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    serve(world, store, request, response).catch((error: unknown) => {
      console.error('stand-in storage:', error);
      response.destroy();
    });
  };
}

/** Goes on hashing files whose segments had arrived before a restart. */
export function resumeHashing(world: World, store: ByteStore): void {
  for (const file of world.files.values()) {
    if (file.segments.length > 1 && file.receivedSha256 === undefined) hashWhole(world, store, file);
  }
}

async function serve(
  world: World,
  store: ByteStore,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const number = world.log.nextRequest();
  const target = request.url ?? '/';
  const delivery = examine(world, number, request, target);
  let fate: Fate;
  let faultId: string | null = null;
  try {
    if ('status' in delivery) {
      await drain(request);
      fate = { kind: 'answered', answer: delivery };
    } else ({ fate, faultId } = await deliver(world, store, number, request, delivery));
  } catch (error) {
    if (request.complete) throw error;
    // The connection ended early: nothing was kept.
    fate = { kind: 'dropped' };
  }
  world.flush();
  const fault = faultId === null ? {} : { fault: faultId };
  world.log.record({
    kind: 'request',
    route: STORAGE_PUT,
    request: number,
    status: statusOf(fate, response),
    ...fault,
  });
  respond(response, fate, {});
  if (!request.complete && fate.kind === 'answered')
    response.on('finish', () => request.socket.destroySoon());
}

/** Everything that storage refuses before it takes a byte. */
function examine(world: World, number: number, request: IncomingMessage, target: string): Delivery | Answer {
  const violation = (what: 'redirect-followed' | 'bearer-at-storage', withBearer: boolean) =>
    world.log.violation(what, STORAGE_PUT, number, { withBearer });
  const withBearer = request.headers.authorization !== undefined;
  if (target.startsWith('/redirect-trap')) {
    violation('redirect-followed', withBearer);
    return storageError(404, 'NoSuchKey');
  }
  if (withBearer) {
    violation('bearer-at-storage', true);
    return storageError(400, 'UnexpectedAuthorization');
  }
  const presigned = readPresigned(world, target);
  const file = presigned === null ? undefined : world.files.get(presigned.fileId);
  const segment = presigned === null ? undefined : file?.segments[presigned.index];
  if (presigned === null || file === undefined || segment === undefined) {
    return storageError(403, 'SignatureDoesNotMatch');
  }
  if (request.method !== 'PUT') return storageError(405, 'MethodNotAllowed');
  const problem = headerProblem(request, segmentHeaders(file, presigned.index));
  if (problem !== null) {
    const detail = { fileUploadId: file.id, fileName: file.fileName, problem };
    world.log.violation('foreign-header-at-storage', STORAGE_PUT, number, detail);
    return storageError(400, 'HeadersDoNotMatch');
  }
  if (request.headers['content-length'] === undefined) return storageError(411, 'MissingContentLength');
  if (world.now() >= presigned.expiresAt) return storageError(403, 'AccessDenied');
  if (fileState(world, file) === 'deleted' || file.completedAt !== undefined)
    return storageError(403, 'AccessDenied');
  return { file, target: presigned };
}

async function deliver(
  world: World,
  store: ByteStore,
  number: number,
  request: IncomingMessage,
  { file, target }: Delivery,
): Promise<{ fate: Fate; faultId: string | null }> {
  const item = { position: target.index, fileName: file.fileName };
  const place = { route: STORAGE_PUT, origin: 'storage', items: [item], headers: request.headers };
  const { delays, strike } = world.faults.takeForRequest(place);
  for (const each of delays) if (each.action.when === 'before') await world.faults.waitOut(each);
  if (strike !== null && strike.action.kind !== 'delay' && !takesEffect(strike.action)) {
    const isCut = strike.action.kind === 'cut-request';
    const isEarly = strike.action.kind === 'status' && strike.action.early;
    if (isCut) await cutMidway(request);
    // A storage that hangs does not read either: the client's own watchdog has to notice.
    else if (!isEarly && strike.action.kind !== 'hang') await drain(request);
    return { fate: spoil(world, strike.action, null), faultId: strike.faultId };
  }
  const special = world.faults.takeForItem(STORAGE_PUT, ['expired-url', 'wrong-etag', 'corrupt-bytes'], item);
  if (special?.action.kind === 'expired-url') {
    if (!special.action.early) await drain(request);
    return {
      fate: { kind: 'answered', answer: storageError(403, 'AccessDenied') },
      faultId: special.faultId,
    };
  }
  let honest = await take(
    world,
    store,
    number,
    request,
    file,
    target.index,
    special?.action.kind === 'corrupt-bytes',
  );
  if (special?.action.kind === 'wrong-etag' && honest.status === 200) {
    honest = { ...honest, headers: { ETag: `"${'0'.repeat(32)}"` } };
  }
  for (const each of delays) if (each.action.when === 'after') await world.faults.waitOut(each);
  if (strike !== null && strike.action.kind !== 'delay')
    return { fate: spoil(world, strike.action, honest), faultId: strike.faultId };
  return {
    fate: { kind: 'answered', answer: honest },
    faultId: special?.faultId ?? delays[0]?.faultId ?? null,
  };
}

/** Receives the segment and remembers it when the bytes are the declared ones. */
async function take(
  world: World,
  store: ByteStore,
  number: number,
  request: IncomingMessage,
  file: FileUpload,
  index: number,
  corrupt: boolean,
): Promise<Answer> {
  let etag: string | null = null;
  const declaredLength = Number(request.headers['content-length']);
  const record = (what: string) =>
    world.log.record({
      kind: 'effect',
      route: STORAGE_PUT,
      request: number,
      what,
      detail: { fileUploadId: file.id, fileName: file.fileName, segment: index, bytes: declaredLength },
    });
  if (declaredLength !== file.segments[index]?.size) {
    await drain(request);
    record('segment-refused');
    return storageError(400, 'IncorrectLength');
  }
  await store.receive(file, index, request, {
    corrupt,
    accept(received) {
      const segment = file.segments[index];
      const current = world.files.get(file.id);
      if (segment === undefined || current === undefined) return false;
      if (!corrupt && !matchesSegment(file, index, received)) return false;
      // What the client declared, so that a corruption on this side stays unseen until the whole is compared.
      etag = segment.sha256.slice(0, 32);
      segment.etag = etag;
      if (file.segments.length === 1) current.receivedSha256 = received.sha256;
      world.files.put(current);
      return true;
    },
  });
  if (etag === null) {
    record('segment-refused');
    return storageError(400, 'ChecksumMismatch');
  }
  record('segment-stored');
  if (file.segments.length > 1) hashWhole(world, store, file);
  return { status: 200, headers: { ETag: `"${etag}"` } };
}

function hashWhole(world: World, store: ByteStore, file: FileUpload): void {
  if (world.files.get(file.id)?.receivedSha256 !== undefined) return;
  store
    .hashWhole(file, sha256 => {
      const current = world.files.get(file.id);
      if (current === undefined) return;
      world.files.put({ ...current, receivedSha256: sha256 });
      world.flush();
    })
    .catch(() => {
      // Spooled bytes are gone (a reset, or a foreign hand): the file never becomes available.
    });
}

/** Why the headers are not exactly the ones that were handed out, or null. Names only. */
function headerProblem(
  { headers }: IncomingMessage,
  expected: Readonly<Record<string, string>>,
): string | null {
  for (const [name, value] of Object.entries(expected)) {
    if (headers[name] !== value) return `${name} is missing or changed`;
  }
  const foreign = Object.keys(headers).filter(name => !(name in expected) && !TRANSPORT_HEADERS.has(name));
  return foreign.length === 0 ? null : `${foreign.join(', ')} was added`;
}

async function drain(request: IncomingMessage): Promise<void> {
  for await (const _chunk of request) {
    // Read to the end, so that the answer is not lost to a reset.
  }
}

/** Resolves when half of the body has arrived; the rest is never read. */
function cutMidway(request: IncomingMessage): Promise<void> {
  const half = Number(request.headers['content-length']) / 2;
  let seen = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      seen += chunk.length;
      if (seen < half) return;
      request.pause();
      resolve();
    });
    request.on('end', resolve);
    request.on('close', () => reject(new Error('the connection ended early')));
  });
}

function storageError(status: number, code: string): Answer {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>\n`;
  return { status, text: { body, contentType: 'application/xml' } };
}
