// The bytes of uploads, by the core of the tus protocol: a file asks how far it is (HEAD), and goes on from
// there (PATCH). They are written as they come, so a file of any size takes no more memory than a small one.
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OpenUpload } from '../../../activities/share/jobs/uploads/open-upload';
import { type ConsoleDeps, ConsoleProblem, type Door } from '../serve/module';
import { openShareOf } from '../serve/share-of';
import { texts } from '../texts/texts';
import { requireUpload, throwDropProblem } from './find-upload';
import type { UploadTurns } from './upload-turns';

const ADDRESS = '/api/uploads/:share/:upload/bytes/:index';
const CONTENT = 'application/offset+octet-stream';
const VERSION = '1.0.0';
/** Which window of a browser sends. */
const WINDOW = 'x-drawbridge-window';

interface Bytes {
  readonly Params: { readonly share: string; readonly upload: string; readonly index: string };
}

export function addUploadBytes(
  server: FastifyInstance,
  door: Door,
  deps: ConsoleDeps,
  turns: UploadTurns,
): void {
  const find = async (request: FastifyRequest<Bytes>) => {
    const { share: name, upload, index } = request.params;
    const person = door.person(request, 'answer', name);
    const found = await requireUpload(openShareOf(deps, name), upload, person);
    const window = String(request.headers[WINDOW] ?? '');
    const take = () => turns.take(upload, window);
    take();
    return { upload: found, index: toNumber(index), take };
  };
  void server.register((scope, _options, done) => {
    // Not read here: it goes from the socket to the share as it comes.
    scope.addContentTypeParser(CONTENT, (_request, _payload, parsed) => parsed(null));
    scope.addHook('preHandler', async (request, reply) => {
      void reply.header('tus-resumable', VERSION);
      if (request.headers['tus-resumable'] === VERSION) return;
      await reply
        .code(412)
        .header('tus-version', VERSION)
        .send({ text: texts.drop.otherProtocol(VERSION) });
    });
    scope.head<Bytes>(ADDRESS, async (request, reply) => {
      const { upload, index } = await find(request);
      const { sizeBytes, doneBytes } = await upload.lookAt(index).catch(throwDropProblem);
      return await reply.headers({ 'upload-length': sizeBytes, 'upload-offset': doneBytes }).send();
    });
    scope.patch<Bytes>(ADDRESS, async (request, reply) => {
      const { upload, index, take } = await find(request);
      const doneBytes = await takeBytes(upload, index, request, take);
      return await reply.code(204).header('upload-offset', doneBytes).send();
    });
    done();
  });
}

async function takeBytes(
  upload: OpenUpload,
  index: number,
  { raw, headers }: FastifyRequest,
  take: () => void,
): Promise<number> {
  const at = toNumber(headers['upload-offset']);
  const file = upload.state.files[index];
  if (file !== undefined && at + Number(headers['content-length'] ?? 0) > file.sizeBytes)
    throw new ConsoleProblem(413, texts.drop.tooManyBytes);
  try {
    // Where reading ends early, the socket must not be destroyed: the answer goes out over it.
    const bytes: AsyncIterable<Buffer> = raw.iterator({ destroyOnReturn: false });
    return await upload.write(index, at, { bytes: whileTaken(bytes, take), stop: () => raw.destroy() });
  } catch (error) {
    if (isBroken(raw)) throw new ConsoleProblem(409, texts.drop.brokenOff);
    raw.resume();
    return throwDropProblem(error);
  }
}

/** Passes the bytes on until another window goes on with the upload. */
async function* whileTaken(bytes: AsyncIterable<Buffer>, take: () => void): AsyncGenerator<Buffer> {
  for await (const some of bytes) {
    take();
    yield some;
  }
}

function isBroken({ destroyed, complete }: IncomingMessage): boolean {
  return destroyed && !complete;
}

/** @throws ConsoleProblem 400 */
function toNumber(text: string | string[] | undefined): number {
  if (typeof text !== 'string' || !/^\d{1,15}$/.test(text))
    throw new ConsoleProblem(400, texts.drop.noNumber);
  return Number(text);
}
