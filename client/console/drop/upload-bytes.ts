// The bytes of uploads, by the tus protocol: a file asks how far it is, and goes on from there. They are
// written as they come, so a file of any size takes no more memory than a small one.
import type { Readable } from 'node:stream';
import { DataStore, ERRORS, Server, Upload } from '@tus/server';
import type { FastifyInstance } from 'fastify';
import type { OpenUpload } from '../../../activities/share/jobs/uploads/open-upload';
import { type ConsoleDeps, ConsoleProblem, type Door } from '../serve/module';
import { requireShare, requireUpload, toDropProblem } from './find-upload';

const ADDRESS = '/api/uploads/:share/:upload/bytes/:index';
const KEY = /\/api\/uploads\/([^/?]+)\/([0-9a-f]{20})\/bytes\/(\d{1,5})(?:\?|$)/;
const CONTENT = 'application/offset+octet-stream';

interface Params {
  readonly share: string;
  readonly upload: string;
  readonly index: string;
}

export function addUploadBytes(server: FastifyInstance, door: Door, deps: ConsoleDeps): void {
  const tus = new Server({
    path: '/api/uploads',
    datastore: new UploadStore(deps),
    // No other origin has anything to do with it.
    allowedOrigins: [],
    getFileIdFromRequest: request => KEY.exec(request.url)?.slice(1).join('/'),
    onResponseError: (_, error) => {
      if (!(error instanceof Error)) return undefined;
      const told = toDropProblem(error);
      if (told instanceof ConsoleProblem) return { status_code: told.status, body: told.message };
      deps.logger.warn({ event: 'upload-failed', error }, 'Bytes of an upload could not be written');
      return { status_code: 500, body: 'This could not be written.' };
    },
  });
  void server.register((scope, _options, done) => {
    // Not read here: it goes from the socket to the share as it comes.
    scope.addContentTypeParser(CONTENT, (_request, _payload, parsed) => parsed(null));
    scope.route<{ Params: Params }>({
      method: ['HEAD', 'PATCH'],
      url: ADDRESS,
      handler: async (request, reply) => {
        const { share: name, upload } = request.params;
        const person = door.person(request, 'answer', name);
        await requireUpload(requireShare(deps, name), upload, person);
        for (const [header, value] of Object.entries(reply.getHeaders())) {
          if (value !== undefined) reply.raw.setHeader(header, value);
        }
        reply.hijack();
        await tus.handle(request.raw, reply.raw);
      },
    });
    done();
  });
}

class UploadStore extends DataStore {
  readonly #deps: ConsoleDeps;

  constructor(deps: ConsoleDeps) {
    super();
    this.#deps = deps;
  }

  override async getUpload(id: string): Promise<Upload> {
    const { upload, index } = await this.#find(id);
    const { sizeBytes, doneBytes } = await upload.lookAt(index);
    return new Upload({ id, size: sizeBytes, offset: doneBytes });
  }

  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    const { upload, index } = await this.#find(id);
    return await upload.write(index, offset, stream);
  }

  async #find(id: string): Promise<{ readonly upload: OpenUpload; readonly index: number }> {
    const [share = '', key = '', index = ''] = id.split('/');
    const upload = await requireShare(this.#deps, decodeURIComponent(share)).uploads.open(key);
    if (upload === undefined) throw ERRORS.FILE_NO_LONGER_EXISTS;
    return { upload, index: Number(index) };
  }
}
