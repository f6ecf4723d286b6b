// Set apart: what did not go through, why, what cures it, and the ways back into the drop folder.
import { USUAL_FIELDS } from '../../../activities/registers/column-words';
import { comparePaths } from '../../../activities/share/files/relative-path';
import { isCertainlyWithoutRevision } from '../../../activities/share/receipt/corrected/set-apart-safety';
import { whatToDoOf } from '../../../activities/share/receipt/words-of-row';
import type { ShareConfig } from '../../../activities/share/share-config';
import type { ApartColumns, ApartGroup, ApartPage, ApartRow, apartRoutes } from '../contract/apart';
import type { Topic } from '../contract/session';
import { keyOfDocument } from '../jobs/to-rows';
import { type ConsoleDeps, type ConsoleModule, ConsoleProblem, type Person } from '../serve/module';
import { texts } from '../texts/texts';
import { type FieldIndex, indexNames, listPresent, nameDocument } from '../waiting/present-values';
import { type ApartFile, ApartFiles } from './apart-listing';
import { isOfFile, standsOf, titleOf } from './reason-kinds';
import { addReceiptRoutes } from './receipt-routes';
import { beginReplacement, sendReplacement } from './replace-file';
import { tryAgain } from './try-again';

/** Rows in one answer; more than a person reads. */
const MOST_ROWS = 5_000;
/** Shares are only looked at each second for so long after somebody has shown this view. */
const LOOKED_AT_MS = 30_000;
const OFTEN_MS = 500;

export function createApart(
  deps: ConsoleDeps,
  files: ApartFiles = new ApartFiles(deps),
): ConsoleModule<typeof apartRoutes> {
  const nowMs = () => deps.now().getTime();
  let shownAtMs = Number.NEGATIVE_INFINITY;
  return {
    handlers: {
      'GET /api/apart': async (_asked, person) => {
        shownAtMs = nowMs();
        return await tellApart(deps, files, person);
      },
      'GET /api/apart/count': async (_asked, person) => {
        const listing = await files.list();
        return { count: listing.files.filter(({ share }) => person.may('see', share.name)).length };
      },
      'GET /api/apart/columns/:share/:job': async ({ params }) => await tellColumns(files, params),
      'POST /api/try-again': async ({ body }, person) => {
        if (body.dryRun) return await tryAgain(deps, files, body, person);
        try {
          return await tryAgain(deps, files, body, person);
        } finally {
          // Also after a failure: some documents may have gone before it.
          files.forget();
          deps.changed(['apart', 'jobs']);
        }
      },
      'POST /api/replacements/:share/:job': async (asked, person) =>
        await beginReplacement(deps, files, asked, person),
      'POST /api/replacements/:share/:job/:upload': async ({ params }, person) => {
        try {
          return await sendReplacement(deps, params, person);
        } finally {
          files.forget();
          deps.changed(['apart', 'jobs']);
        }
      },
    },
    extend: (server, door) => addReceiptRoutes(server, door, { deps, files }),
    look: async (): Promise<readonly Topic[]> => {
      if (nowMs() - shownAtMs > LOOKED_AT_MS) return [];
      // Files that somebody moves by hand change no job: only this look finds that out.
      await files.list(OFTEN_MS);
      // `list` itself tells the pages where it has found something else.
      return [];
    },
    onChanged: topics => {
      if (topics.includes('jobs') || topics.includes('apart')) files.forget();
    },
  };
}

async function tellApart(deps: ConsoleDeps, files: ApartFiles, person: Person): Promise<ApartPage> {
  const listing = await files.list();
  const theirs = listing.files.filter(({ share }) => person.may('see', share.name));
  const rows = theirs.map(toRow).sort(inOrder);
  return {
    groups: [...toGroups(rows)],
    rows: rows.slice(0, MOST_ROWS),
    count: rows.length,
    unread: listing.unread.filter(({ share }) => person.may('see', share)).map(({ text }) => text),
    at: deps.now().toISOString(),
  };
}

/** A share has the same settings until its configuration is read anew. */
const NAMES = new WeakMap<ShareConfig, FieldIndex>();

function namesOf(config: ShareConfig): FieldIndex {
  const names = NAMES.get(config) ?? indexNames(USUAL_FIELDS, config);
  NAMES.set(config, names);
  return names;
}

function toRow(file: ApartFile): ApartRow {
  const { share, batchId, index, path, reason, manifest, sinceIso } = file;
  const job = manifest?.job;
  const row = manifest?.files[index]?.entry?.row?.number;
  const values =
    manifest === undefined ? [] : listPresent(manifest, index, share.config, namesOf(share.config));
  const below = job === undefined ? path : path.slice(path.indexOf('/') + 1);
  return {
    share: share.name,
    batchId,
    index,
    job: job?.id ?? batchId,
    // As the list of jobs calls it, and the folder that its files lie in.
    jobName: job?.place ?? batchId,
    isJob: job !== undefined,
    key: keyOfDocument(file),
    file: below,
    row: row ?? null,
    ...nameDocument(values),
    code: reason.code,
    reason: reason.text,
    whatToDo: whatToDoOf({ outcome: 'set-apart', reason, row }) ?? reason.fix,
    isSafe: isCertainlyWithoutRevision(file),
    takesFile: job !== undefined && isOfFile(reason.code),
    since: sinceIso,
  };
}

function inOrder(one: ApartRow, other: ApartRow): number {
  return (
    comparePaths(one.share, other.share) ||
    comparePaths(other.since, one.since) ||
    comparePaths(one.jobName, other.jobName) ||
    (one.row ?? Number.MAX_SAFE_INTEGER) - (other.row ?? Number.MAX_SAFE_INTEGER) ||
    comparePaths(one.file, other.file)
  );
}

function toGroups(rows: readonly ApartRow[]): readonly ApartGroup[] {
  const groups = new Map<string, ApartRow[]>();
  for (const row of rows) {
    const known = groups.get(row.code);
    if (known === undefined) groups.set(row.code, [row]);
    else known.push(row);
  }
  return [...groups]
    .map(([code, all]) => ({
      code,
      title: titleOf(code),
      cause: shared(all.map(({ reason }) => reason)),
      cure: shared(all.map(({ whatToDo }) => whatToDo)),
      stands: standsOf(code),
      rows: all.length,
    }))
    .sort((one, other) => other.rows - one.rows || comparePaths(one.title, other.title));
}

function shared(texts: readonly string[]): string | null {
  const [first = null] = texts;
  return texts.every(text => text === first) ? first : null;
}

async function tellColumns(
  files: ApartFiles,
  { share: name, job }: { readonly share: string; readonly job: string },
): Promise<ApartColumns> {
  const listing = await files.list();
  const ofJob = listing.files.filter(file => file.share.name === name && file.manifest?.job?.id === job);
  const [first] = ofJob;
  if (first === undefined) throw new ConsoleProblem(404, texts.apart.nothingLeft);
  const columns = await first.share.readColumns(job);
  if (columns === undefined) throw new ConsoleProblem(409, texts.apart.othersOnTheWay);
  const kept = await first.share.readFields().catch(() => undefined);
  const names = indexNames(kept?.fields, first.share.config);
  return {
    headers: [...columns.headers],
    fields: names.fieldsOf(columns.headers).map(field => field ?? null),
    fileAt: columns.fileAt,
    rows: ofJob.flatMap(({ batchId, index, path }) => {
      const row = columns.rows.find(each => each.path === path);
      return row === undefined ? [] : [{ share: name, batchId, index, cells: [...row.cells] }];
    }),
  };
}
