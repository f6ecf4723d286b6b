// A mended file in the place of one that was set apart: its bytes come as those of an upload do, and then it
// goes on as that document, with its name, its row and its values.
import { createHash } from 'node:crypto';
import { extname } from 'node:path/posix';
import { quote } from '../../../activities/registers/register-fault';
import { ONLY_FILE } from '../../../activities/share/jobs/uploads/upload-place';
import { isCertainlyWithoutRevision } from '../../../activities/share/receipt/corrected/set-apart-safety';
import type { apartRoutes, ReplacedTold } from '../contract/apart';
import type { UploadDetail } from '../contract/drop';
import type { Asked } from '../contract/route';
import { isTheirs, requireBegun, throwDropProblem, toDetail } from '../drop/find-upload';
import { type ConsoleDeps, ConsoleProblem, type Person } from '../serve/module';
import { openShareOf } from '../serve/share-of';
import { texts } from '../texts/texts';
import type { ApartFile, ApartFiles } from './apart-listing';
import { isOfFile } from './reason-kinds';

type Begin = Asked<(typeof apartRoutes)['POST /api/replacements/:share/:job']>;
type Send = Asked<(typeof apartRoutes)['POST /api/replacements/:share/:job/:upload']>['params'];

export async function beginReplacement(
  deps: ConsoleDeps,
  files: ApartFiles,
  { params, body }: Pick<Begin, 'params' | 'body'>,
  person: Person,
): Promise<UploadDetail> {
  const share = openShareOf(deps, params.share);
  const { batchId, index, sizeBytes, modifiedMs } = body;
  const { files: listed } = await files.list();
  const file = listed.find(
    each =>
      each.share.name === share.name &&
      each.batchId === batchId &&
      each.index === index &&
      each.manifest?.job?.id === params.job,
  );
  if (file === undefined) throw new ConsoleProblem(409, texts.apart.replace.gone);
  const wrong = findFault(file, body);
  if (wrong !== undefined) throw new ConsoleProblem(422, wrong);
  if ((await share.readColumns(params.job).catch(throwDropProblem)) === undefined)
    throw new ConsoleProblem(409, texts.apart.replace.noReceipt);
  const plan = {
    name: 'replacement',
    files: [{ path: ONLY_FILE, sizeBytes, modifiedMs }],
    replaces: { jobId: params.job, batchId, index, path: file.path },
  };
  // The same file again for the same document is the same upload: after a lost answer, or a reload.
  const told = JSON.stringify([share.name, batchId, index, person.id, body.name, sizeBytes, modifiedMs]);
  const id = createHash('sha256').update(told).digest('hex').slice(0, 20);
  const state = requireBegun(await share.uploads.begin(plan, person, id).catch(throwDropProblem));
  return await toDetail(share, state, { person, turns: { isMoving: () => false } });
}

/** Why the file cannot take that place; undefined where it can. */
function findFault(file: ApartFile, { name, sizeBytes, hasLooked }: Begin['body']): string | undefined {
  const told = texts.apart.replace;
  if (!isOfFile(file.reason.code)) return told.notOfFile;
  if (!hasLooked && !isCertainlyWithoutRevision(file)) return told.lookFirst;
  if (sizeBytes === 0) return told.empty;
  const ending = extname(file.path);
  if (extname(name).toLowerCase() === ending.toLowerCase()) return undefined;
  return ending === '' ? told.noEnding : told.otherEnding(quote(ending));
}

export async function sendReplacement(
  deps: ConsoleDeps,
  { share: name, job, upload: id }: Send,
  person: Person,
): Promise<ReplacedTold> {
  const share = openShareOf(deps, name);
  const state = (await share.uploads.open(id).catch(throwDropProblem))?.state;
  const { replaces } = state ?? {};
  if (state !== undefined && (replaces?.jobId !== job || !isTheirs(state, name, person)))
    throw new ConsoleProblem(404, texts.apart.replace.notKnown);
  const given = state && replaces && { upload: id, path: replaces.path, by: state.by };
  const replaced = await share.replaceFile(job, id, given).catch(throwDropProblem);
  if (replaced === undefined) throw new ConsoleProblem(404, texts.apart.replace.notKnown);
  const { kind: outcome } = replaced;
  // The share has taken its bytes: only the record of the upload is left to be removed.
  if (outcome !== 'stays') await share.uploads.discard(id).catch(() => false);
  const { batchId, index } = replaces ?? {};
  deps.logger.info(
    { event: 'console-replace-file', by: person.name, share: name, job, batchId, index, outcome },
    'A file was given on the page for one that was set apart',
  );
  if (replaced.kind === 'waits') return { outcome: 'waits', told: [texts.apart.replace.waits(replaced.why)] };
  return { outcome, told: replaced.kind === 'stays' ? [...replaced.told] : [] };
}
