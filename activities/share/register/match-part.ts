// Which rows of a job's register are about the files of one of its batches. What was decided when the job was
// begun stands. A file that came after that may be about a row whose file was not there then.
import type { Register } from '../../registers/find-register';
import { type FileMatches, matchFiles } from '../../registers/match-files';
import { listFileRows } from '../../registers/read-rows';
import type { RegisterOfJob } from './begun-with';

/**
 * @param paths relative to the job's folder, without that of the register.
 * @param listTaken rows that files of other batches have; asked only where it matters.
 */
export async function matchPart(
  register: Register,
  { pairs, ambiguous, twice }: RegisterOfJob,
  paths: readonly string[],
  jobName: string,
  listTaken: () => Promise<ReadonlySet<number>>,
): Promise<FileMatches> {
  const known = new Set([
    ...pairs.map(({ path }) => path),
    ...ambiguous.flatMap(each => each.paths),
    ...twice.map(({ path }) => path),
  ]);
  const decided = new Set([
    ...pairs.map(({ row }) => row),
    ...ambiguous.map(({ row }) => row),
    ...twice.flatMap(({ rows }) => rows),
  ]);
  const free = listFileRows(register).filter(({ number }) => !decided.has(number));
  const late = paths.filter(path => !known.has(path));
  let found = matchFiles(free, late, jobName);
  if (found.unlisted.length < late.length) {
    const taken = await listTaken();
    found = matchFiles(
      free.filter(({ number }) => !taken.has(number)),
      late,
      jobName,
    );
  }
  const inPart = new Set(paths);
  return {
    pairs: [...pairs.filter(({ path }) => inPart.has(path)), ...found.pairs],
    ambiguous: [...ambiguous, ...found.ambiguous],
    twice: [...twice, ...found.twice],
    unlisted: found.unlisted,
    // These are known for the job as a whole, and told in its receipt.
    doubtful: [],
    missing: [],
    unnamed: [],
  };
}
