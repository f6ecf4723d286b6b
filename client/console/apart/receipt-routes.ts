// Receipts and proofs of jobs as files, and corrected receipts that come back. All are made from what is
// sealed: no path in a request leads to a file, and nothing that people wrote into their copies is passed on.
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { SheetError } from '../../../activities/registers/sheet/sheet-error';
import { toShareError } from '../../../activities/share/files/share-error';
import type { Share } from '../../../activities/share/share';
import { makeProof } from '../../proof/make-proof';
import type { GivenSheetTold } from '../contract/apart';
import { jobParams } from '../contract/common';
import { type ConsoleDeps, ConsoleProblem, type Door } from '../serve/module';
import { requireShape } from '../serve/problem';
import { openShareOf } from '../serve/share-of';
import { addSheetRoute, sendFile } from '../serve/sheet-files';
import { texts } from '../texts/texts';
import type { ApartFiles } from './apart-listing';

const receiptParams = jobParams.extend({ format: z.enum(['sheet', 'csv']) });

interface ReceiptDeps {
  readonly deps: ConsoleDeps;
  readonly files: ApartFiles;
}

export function addReceiptRoutes(server: FastifyInstance, door: Door, { deps, files }: ReceiptDeps): void {
  server.get('/api/receipts/:share/:job/:format', async (request, reply) => {
    const { share: name, job, format } = requireShape(receiptParams, request.params);
    const { name: by } = door.person(request, 'see', name);
    const receipt = await openShareOf(deps, name).makeReceiptNow(job, format);
    if (receipt === undefined) throw new ConsoleProblem(404, texts.apart.receipt.none);
    deps.logger.info({ event: 'console-receipt', by, share: name, job }, 'A receipt was sent to the page');
    return await sendFile(reply, receipt);
  });
  // It takes a place in the chain of proofs, so seeing alone is not enough.
  server.get('/api/proofs/:share/:job', async (request, reply) => {
    const { share: name, job } = requireShape(jobParams, request.params);
    const { name: by } = door.person(request, 'answer', name);
    const proof = await proveJob(openShareOf(deps, name), job, deps.config.stateDir);
    const { number, fingerprint } = proof;
    deps.logger.info(
      { event: 'console-proof', by, share: name, job, number, key: fingerprint },
      'A proof was sent to the page',
    );
    return await sendFile(reply, proof);
  });
  addSheetRoute(server, door, '/api/sheets/:share', async ({ person, share: name, name: file, bytes }) => {
    const told = await takeSheet(openShareOf(deps, name), file, bytes);
    deps.logger.info(
      { event: 'console-sheet', by: person.name, share: name, job: told.job, taken: told.taken },
      'A corrected sheet was given in the page',
    );
    files.forget();
    deps.changed(['apart', 'jobs']);
    return told;
  });
}

async function proveJob(share: Share, job: string, stateDir: string) {
  const papers = await share.readPapers(job).catch(tellTrouble);
  if (papers === undefined) throw new ConsoleProblem(404, texts.apart.receipt.noJob);
  if (papers === 'unfinished') throw new ConsoleProblem(409, texts.apart.receipt.notYet);
  const proof = await makeProof(share, papers, stateDir).catch(tellTrouble);
  return { ...proof, name: `proof ${papers.record.place}.zip` };
}

function tellTrouble(error: unknown): never {
  const trouble = toShareError(error);
  throw trouble === undefined ? error : new ConsoleProblem(503, trouble.message);
}

async function takeSheet(share: Share, name: string, bytes: Buffer): Promise<GivenSheetTold> {
  const given = await share.takeUpGiven(name, bytes).catch(error => {
    if (error instanceof SheetError)
      throw new ConsoleProblem(422, texts.apart.receipt.nothingTaken(error.message));
    return tellTrouble(error);
  });
  if (given === undefined) throw new ConsoleProblem(422, texts.apart.receipt.notOurs);
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
