// Sheets that the page sends as they are, and files that it is sent.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { sheetFormatOf } from '../../../activities/registers/sheet/read-sheet';
import { SHEET_LIMITS } from '../../../activities/registers/sheet/sheet-limits';
import { jobParams } from '../contract/common';
import { texts } from '../texts/texts';
import { ConsoleProblem, type Door, type Person } from './module';
import { requireShape } from './problem';

const sheetParams = jobParams.pick({ share: true });
const sheetQuery = z.object({ name: z.string().min(1).max(255) });

export interface GivenSheet {
  readonly person: Person;
  readonly share: string;
  /** As the person calls it. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** @param url with `:share`; whoever sends one needs the role `answer` on it. */
export function addSheetRoute(
  server: FastifyInstance,
  door: Door,
  url: string,
  take: (given: GivenSheet) => Promise<unknown>,
): void {
  // In a scope of its own: other parts read bodies of this type in other ways.
  void server.register((scope, _options, done) => {
    scope.addContentTypeParser(
      'application/octet-stream',
      { parseAs: 'buffer', bodyLimit: SHEET_LIMITS.packedBytes },
      (_request, body, taken) => taken(null, body),
    );
    scope.post(url, { bodyLimit: SHEET_LIMITS.packedBytes }, async request => {
      const { share } = requireShape(sheetParams, request.params);
      const person = door.person(request, 'answer', share);
      return await take({ person, share, ...readSheetOf(request) });
    });
    done();
  });
}

function readSheetOf({ query, body }: FastifyRequest): Pick<GivenSheet, 'name' | 'bytes'> {
  const { name } = requireShape(sheetQuery, query);
  if (!Buffer.isBuffer(body) || sheetFormatOf(name) === undefined)
    throw new ConsoleProblem(400, texts.asked.noSheet);
  return { name, bytes: body };
}

const TYPES: Readonly<Record<string, string>> = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
  zip: 'application/zip',
};

/** Sends a file to be saved under its name. */
export async function sendFile(
  reply: FastifyReply,
  { name, bytes }: { readonly name: string; readonly bytes: Buffer },
): Promise<FastifyReply> {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return await reply
    .header('content-type', TYPES[ending] ?? 'application/octet-stream')
    .header('content-disposition', dispositionOf(name))
    .header('cache-control', 'no-store')
    .send(bytes);
}

/** Plain for old programs, whole for others (RFC 6266). */
function dispositionOf(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9 ._-]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(Buffer.from(name).toString()).replaceAll(/['()*]/g, sign => `%${sign.charCodeAt(0).toString(16)}`)}`;
}
