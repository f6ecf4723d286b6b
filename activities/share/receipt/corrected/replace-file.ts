// A mended file that a person has given for one that was set apart: it makes the record of a corrected row,
// with the hash of the new file, and whoever carries corrections on carries this.
import { isGone } from '../../../host/file-trouble';
import type { FileHasher } from '../../../transfer/hashing/hash-file';
import { planSegments } from '../../../transfer/segment-plan';
import { isThere, lookIfThere } from '../../files/if-there';
import type { OnNotOurs } from '../../files/own-marks';
import { ShareError } from '../../files/share-error';
import type { ShareLayout } from '../../files/share-layout';
import { wholeFileOf } from '../../jobs/uploads/upload-place';
import { hash } from '../receipt-files';
import type { SheetNews } from '../sheet-news';
import { type Correction, listCorrections } from './correction-record';
import type { FinishedJob } from './decide-correction';
import { decideAgain, type RowsDeps } from './rows-again';
import type { Earlier } from './waiting-rows';

/** An upload, and what it takes the place of. */
export interface GivenFile {
  readonly upload: string;
  /** As it was dropped, relative to the drop folder. */
  readonly path: string;
  readonly by: string;
}

/** What became of a file that was given. */
export type Replaced =
  /** It is in the drop folder, or has been, with its row. */
  | { readonly kind: 'goes' }
  | { readonly kind: 'waits'; readonly why: string }
  /** `told`: for people. */
  | { readonly kind: 'stays'; readonly told: readonly string[] };

/** A column of the register that goes with the file, so that the receipt says who gave it. */
const GIVEN_BY = 'File replaced by';

/** One upload takes one place, once: by this its record is found again. */
function keyOfGiven(jobId: string, upload: string): string {
  return hash(`${jobId} file ${upload}`);
}

const NOT_THERE = 'It does not lie there any more: somebody took it up.';
/** How often we try when something is gone because another process has just brought it on its way. */
const MOST_TURNS = 3;

interface ReplaceDeps extends RowsDeps {
  readonly hasher: FileHasher;
  readonly onNotOurs: OnNotOurs;
  /** @returns the one that counts. */
  readonly keep: (correction: Correction) => Promise<Correction>;
  readonly carry: (correction: Correction) => Promise<readonly SheetNews[]>;
}

/**
 * Sends a given file in the place of one that was set apart; asked again, says what became of that. Without
 * `given` it only says that; undefined where there is nothing to say.
 */
export async function replaceFile(
  layout: ShareLayout,
  job: FinishedJob,
  { upload, given }: { readonly upload: string; readonly given: GivenFile | undefined },
  deps: ReplaceDeps,
): Promise<Replaced | undefined> {
  const key = keyOfGiven(job.record.jobId, upload);
  const earlier = await listCorrections(layout, job.paths, deps.onNotOurs);
  const known = earlier.find(({ sheetSha256 }) => sheetSha256 === key);
  const correction = known ?? (given && (await decideReplacement(layout, job, given, deps)));
  if (correction === undefined) return undefined;
  if (correction.folder === undefined) return { kind: 'stays', told: correction.told };
  const news = await carryOn(known ?? (await deps.keep(correction)), deps);
  const why = news.find(({ kind }) => kind === 'waits')?.why;
  if (why !== undefined) return { kind: 'waits', why };
  if (news.some(({ kind }) => kind === 'taken')) return { kind: 'goes' };
  // A file that did not go still lies where it was uploaded to.
  const place = wholeFileOf({ layout: () => layout }, upload);
  if (!(await isThere(layout.fs, place))) return { kind: 'goes' };
  const told = news.flatMap(each => each.told ?? []);
  return { kind: 'stays', told: told.length > 0 ? told : [NOT_THERE] };
}

async function carryOn(correction: Correction, { carry }: ReplaceDeps): Promise<readonly SheetNews[]> {
  for (let turn = 1; ; turn += 1) {
    try {
      return await carry(correction);
    } catch (error) {
      if (!isGone(error) || turn >= MOST_TURNS) throw error;
    }
  }
}

/** Undefined while the job has no receipt. @throws ShareError `bad-request` where not all of it has come. */
async function decideReplacement(
  layout: ShareLayout,
  job: FinishedJob,
  { upload, path, by }: GivenFile,
  deps: RowsDeps & { readonly hasher: FileHasher; readonly onNotOurs: OnNotOurs },
): Promise<Correction | undefined> {
  const place = wholeFileOf({ layout: () => layout }, upload);
  const facts = await lookIfThere(layout.fs, place);
  if (facts?.kind !== 'file') throw new ShareError('bad-request', 'Not all of it is there yet.');
  const segments = planSegments(facts.sizeBytes);
  const { sha256 } = await deps.hasher.hashFile(place, { segments });
  const wanted = [{ path, values: { [GIVEN_BY]: by }, file: { upload, sha256 } }];
  const decided = await decideAgain(layout, job, { wanted, by }, deps);
  if (decided === undefined) return undefined;
  const { correction, waiting } = decided;
  return {
    ...correction,
    sheet: `The file that ${by} gave on the page`,
    sheetSha256: keyOfGiven(job.record.jobId, upload),
    told: [...correction.told, ...waiting.map(({ earlier }) => tellEarlier(earlier))],
  };
}

/** What was said of the old file goes first: with the new one in its place it would be lost. */
function tellEarlier({ sheet }: Earlier): string {
  return `The file that is to be replaced waits to be brought to the drop folder, with what was asked for it before (${sheet}).`;
}
