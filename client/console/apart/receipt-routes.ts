// Receipts of jobs as files, and corrected ones that come back. A receipt is made from what is sealed: no
// path of anybody leads to a file, and nothing that was written into a copy is passed on.
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { sheetFormatOf } from '../../../activities/registers/sheet/read-sheet';
import { SheetError } from '../../../activities/registers/sheet/sheet-error';
import { SHEET_LIMITS } from '../../../activities/registers/sheet/sheet-limits';
import { toShareError } from '../../../activities/share/files/share-error';
import type { Share } from '../../../activities/share/share';
import type { GivenSheetTold } from '../contract/apart';
import { jobParams } from '../contract/common';
import { type ConsoleDeps, ConsoleProblem, type Door } from '../serve/module';
import { requireShape } from '../serve/problem';
import type { ApartFiles } from './apart-listing';

const TYPES: Readonly<Record<string, string>> = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
};
const receiptParams = jobParams.extend({ format: z.enum(['sheet', 'csv']) });
const sheetParams = jobParams.pick({ share: true });
const sheetQuery = z.object({ name: z.string().min(1).max(255) });

interface ReceiptDeps {
  readonly deps: ConsoleDeps;
  readonly files: ApartFiles;
}

export function addReceiptRoutes(server: FastifyInstance, door: Door, { deps, files }: ReceiptDeps): void {
  server.get('/api/receipts/:share/:job/:format', async (request, reply) => {
    const { share: name, job, format } = requireShape(receiptParams, request.params);
    const person = door.person(request, 'see', name);
    const receipt = await findShare(deps, name).makeReceiptNow(job, format);
    if (receipt === undefined)
      throw new ConsoleProblem(404, 'Nothing of this job has ended yet, or it is not known here.');
    deps.logger.info(
      { event: 'console-receipt', by: person.name, share: name, job },
      'A receipt was sent to the page',
    );
    return await reply
      .header('content-type', TYPES[sheetFormatOf(receipt.name) ?? 'csv'])
      .header('content-disposition', dispositionOf(receipt.name))
      .header('cache-control', 'no-store')
      .send(receipt.bytes);
  });
  // By itself: other parts take bodies of this kind in other ways.
  void server.register((scope, _options, done) => {
    scope.addContentTypeParser(
      'application/octet-stream',
      { parseAs: 'buffer', bodyLimit: SHEET_LIMITS.packedBytes },
      (_request, body, taken) => taken(null, body),
    );
    scope.post('/api/sheets/:share', { bodyLimit: SHEET_LIMITS.packedBytes }, async request => {
      const { share: name } = requireShape(sheetParams, request.params);
      const person = door.person(request, 'answer', name);
      const { name: file } = requireShape(sheetQuery, request.query);
      if (!Buffer.isBuffer(request.body) || sheetFormatOf(file) === undefined)
        throw new ConsoleProblem(400, 'A receipt that was corrected is a sheet: .xlsx or .csv.');
      const told = await takeSheet(findShare(deps, name), file, request.body);
      deps.logger.info(
        { event: 'console-sheet', by: person.name, share: name, job: told.job, taken: told.taken },
        'A corrected sheet was given in the page',
      );
      files.forget();
      deps.changed(['apart', 'jobs']);
      return told;
    });
    done();
  });
}

function findShare(deps: ConsoleDeps, name: string): Share {
  const found = deps.shares().find(({ config }) => config.name === name);
  if (found === undefined) throw new ConsoleProblem(404, 'There is no such share.');
  if (found.share !== undefined) return found.share;
  throw new ConsoleProblem(503, `The share ${name} is away: ${found.why ?? 'it is not seen'}`);
}

async function takeSheet(share: Share, name: string, bytes: Buffer): Promise<GivenSheetTold> {
  const given = await share.takeUpGiven(name, bytes).catch(error => {
    if (error instanceof SheetError) throw new ConsoleProblem(422, `${error.message} Nothing was taken.`);
    const trouble = toShareError(error);
    if (trouble !== undefined) throw new ConsoleProblem(503, trouble.message);
    throw error;
  });
  if (given === undefined)
    throw new ConsoleProblem(
      422,
      'Its rows are of no job of this share, so nothing was taken. Take the receipt as it came, with its column "Receipt row", and correct that.',
    );
  const { job: jobName, jobId: job, path, news } = given;
  return {
    job,
    jobName,
    path,
    taken: news.reduce((sum, { rows = 0 }) => sum + rows, 0),
    told: news.flatMap(({ told = [] }) => [...told]),
    waits: news.find(({ kind }) => kind === 'waits')?.why ?? null,
  };
}

/** Plain for old programs, whole for others (RFC 6266). */
function dispositionOf(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9 ._-]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name).replaceAll(/['()*]/g, sign => `%${sign.charCodeAt(0).toString(16)}`)}`;
}
