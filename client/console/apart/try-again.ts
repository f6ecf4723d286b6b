// Brings documents that were set apart to the drop folder again. Those that came with a register with their
// row of it, as a corrected sheet does, and so not before their job has its receipt; others as files alone.
import { troubleCodeOf } from '../../../activities/host/error-code';
import { joinSome, quote } from '../../../activities/registers/register-fault';
import { isBug, toShareError } from '../../../activities/share/files/share-error';
import type { RowsNews } from '../../../activities/share/receipt/corrected/rows-again';
import { isCertainlyWithoutRevision } from '../../../activities/share/receipt/corrected/set-apart-safety';
import type { TakenUp } from '../../../activities/share/receipt/set-apart';
import type { Share } from '../../../activities/share/share';
import type { AgainTold, apartRoutes } from '../contract/apart';
import type { Asked } from '../contract/route';
import { type ConsoleDeps, ConsoleProblem, type Person } from '../serve/module';
import { texts } from '../texts/texts';
import type { ApartFile, ApartFiles } from './apart-listing';
import { isOfValues, standsOf } from './reason-kinds';

type Body = Asked<(typeof apartRoutes)['POST /api/try-again']>['body'];
type Values = Readonly<Record<string, string>>;

interface Wanted {
  readonly file: ApartFile;
  readonly values: Values;
}

export async function tryAgain(
  deps: ConsoleDeps,
  files: ApartFiles,
  { documents, dryRun, hasLooked }: Body,
  person: Person,
): Promise<AgainTold> {
  for (const name of new Set(documents.map(({ share }) => share)))
    if (!person.may('answer', name)) throw new ConsoleProblem(403, texts.apart.again.mayNot(name));
  const { files: listed } = await files.list();
  const placeOf = (share: string, batchId: string, index: number) => JSON.stringify([share, batchId, index]);
  const known = new Map(listed.map(file => [placeOf(file.share.name, file.batchId, file.index), file]));
  const wanted = new Map<ApartFile, Wanted>();
  let gone = 0;
  let lookFirst = 0;
  const kept = { later: 0, never: 0 };
  for (const { share, batchId, index, values = {} } of documents) {
    const file = known.get(placeOf(share, batchId, index));
    if (file === undefined) gone += 1;
    else if (file.withRow === 'later' || file.withRow === 'never') kept[file.withRow] += 1;
    else if (!hasLooked && !isCertainlyWithoutRevision(file)) lookFirst += 1;
    else wanted.set(file, { file, values });
  }
  const { countGone, countLater, countNever } = texts.apart.again;
  const stays = [
    ...(gone === 0 ? [] : [countGone(gone)]),
    ...(kept.later === 0 ? [] : [countLater(kept.later)]),
    ...(kept.never === 0 ? [] : [countNever(kept.never)]),
  ];
  const going = [...wanted.values()];
  const comesBack = [...countStanding(going)].map(([why, count]) => ({ why, documents: count }));
  if (dryRun) return { goes: going.length, comesBack, lookFirst, stays };
  let goes = 0;
  for (const batch of byJob(going)) {
    const told = await bring(batch, person.name);
    goes += told.goes;
    stays.push(...told.stays);
  }
  const shares = [...new Set(going.map(({ file }) => file.share.name))];
  deps.logger.info(
    { event: 'console-try-again', by: person.name, shares, goes, stays: stays.length },
    'Documents that were set apart were sent again from the page',
  );
  return { goes, comesBack, lookFirst, stays };
}

function countStanding(going: readonly Wanted[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { file, values } of going) {
    const { code } = file.reason;
    const isCured = isOfValues(code) && Object.keys(values).length > 0;
    const why = isCured ? null : standsOf(code);
    if (why !== null) counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  return counts;
}

/** Rows of one job come together, with one register. */
function byJob(going: readonly Wanted[]): readonly (readonly Wanted[])[] {
  const jobs = new Map<string, Wanted[]>();
  for (const one of going) {
    const key = `${one.file.share.name}/${one.file.jobId ?? one.file.batchId}`;
    const ofJob = jobs.get(key);
    if (ofJob === undefined) jobs.set(key, [one]);
    else ofJob.push(one);
  }
  return [...jobs.values()];
}

interface Brought {
  readonly goes: number;
  readonly stays: readonly string[];
}

async function bring(wanted: readonly Wanted[], by: string): Promise<Brought> {
  try {
    const { share, jobId, withRow } = (wanted[0] as Wanted).file;
    const isChanged = wanted.some(({ values }) => Object.keys(values).length > 0);
    if (jobId !== undefined && (withRow !== undefined || isChanged)) {
      const rows = wanted.map(({ file: { batchId, index, path }, values }) => ({
        batchId,
        index,
        path,
        values,
      }));
      const news = await share.sendAgain(jobId, { wanted: rows, by });
      if (news !== undefined) return toBrought(news);
    }
    if (isChanged) return { goes: 0, stays: [texts.apart.again.noRows] };
    return await moveFiles(share, wanted);
  } catch (error) {
    if (isBug(error)) throw error;
    return { goes: 0, stays: [toShareError(error)?.message ?? texts.apart.again.notMoved(tellCode(error))] };
  }
}

function toBrought(news: readonly RowsNews[]): Brought {
  return {
    goes: news.reduce((sum, { rows = 0 }) => sum + rows, 0),
    stays: news.flatMap(({ told = [], why, wanted = [] }) =>
      why === undefined
        ? told
        : [
            tellWait(
              wanted.map(({ path }) => path),
              why,
            ),
          ],
    ),
  };
}

function tellWait(paths: readonly string[], why: string): string {
  const { wait, countWaiting } = texts.apart.again;
  const [first = ''] = paths;
  return paths.length === 1 ? wait(quote(first), why) : countWaiting(paths.length, why);
}

/** A file that cannot be moved, such as one that somebody has open, holds back no other. */
async function moveFiles(share: Share, wanted: readonly Wanted[]): Promise<Brought> {
  let goes = 0;
  const stays: string[] = [];
  const waiting = new Map<string, string[]>();
  const toldWaiting = () => [...waiting].map(([why, paths]) => tellWait(paths, why));
  for (const { file } of wanted) {
    const name = quote(file.path);
    try {
      const taken = await share.takeUpAgain(file);
      if (taken.kind === 'in-drop') goes += 1;
      else if (taken.kind === 'waits') waiting.set(taken.why, [...(waiting.get(taken.why) ?? []), file.path]);
      else stays.push(tellStays(taken, name));
    } catch (error) {
      if (isBug(error)) throw error;
      const trouble = toShareError(error);
      if (trouble?.code.startsWith('share-') === true)
        return { goes, stays: [...stays, ...toldWaiting(), trouble.message] };
      stays.push(texts.apart.again.cannotMove(name, trouble?.message ?? tellCode(error)));
    }
  }
  return { goes, stays: [...stays, ...toldWaiting()] };
}

function tellCode(error: unknown): string {
  return troubleCodeOf(error) ?? String(error);
}

function tellStays(taken: Exclude<TakenUp, { kind: 'in-drop' | 'waits' }>, name: string): string {
  const { nameTaken, gone, unclear, countLater, countNever } = texts.apart.again;
  if (taken.kind === 'needs-row') return taken.withRow === 'never' ? countNever(1) : countLater(1);
  if (taken.kind === 'unclear') return unclear(name, joinSome(taken.names.map(quote)));
  return taken.kind === 'name-taken' ? nameTaken(name) : gone(name);
}
