// Brings documents that were set apart to the drop folder again for `resume --set-apart`: with their rows,
// where they came with a register, and else as files alone. Those of one job go together, with one register.
import type { RowAgain } from '../../activities/share/receipt/corrected/rows-again';
import type { TakenUp } from '../../activities/share/receipt/set-apart';
import type { SheetNews } from '../../activities/share/receipt/sheet-news';
import type { SetApartDocument } from './stopped-batch';

/** What became of a document that was asked to be put back. */
export type PutBack =
  | TakenUp
  /** It goes by itself once its name in the drop folder is free. */
  | { readonly kind: 'waits'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string };

/** @param by who is told of in the folder of those that stay. */
export async function putBack(
  documents: readonly SetApartDocument[],
  by: string,
): Promise<ReadonlyMap<SetApartDocument, PutBack>> {
  const results = new Map<SetApartDocument, PutBack>();
  for (const ofJob of byJob(documents)) {
    for (const [document, result] of await putBackJob(ofJob, by).catch(error => failAll(ofJob, tell(error))))
      results.set(document, result);
  }
  return results;
}

type Results = readonly (readonly [SetApartDocument, PutBack])[];

/** Those that go with rows by their job, all others one by one. */
function byJob(documents: readonly SetApartDocument[]): readonly (readonly SetApartDocument[])[] {
  const jobs = new Map<string, SetApartDocument[]>();
  for (const document of documents) {
    const { share, jobId, batchId, index } = document;
    const key = JSON.stringify([share.name, ...(hasRow(document) ? [jobId] : [batchId, index])]);
    const ofJob = jobs.get(key);
    if (ofJob === undefined) jobs.set(key, [document]);
    else ofJob.push(document);
  }
  return [...jobs.values()];
}

function hasRow({ jobId, withRow }: SetApartDocument): boolean {
  return jobId !== undefined && (withRow === 'now' || withRow === 'later');
}

async function putBackJob(documents: readonly SetApartDocument[], by: string): Promise<Results> {
  const [first] = documents as readonly [SetApartDocument, ...SetApartDocument[]];
  const { share, jobId } = first;
  if (jobId !== undefined && hasRow(first)) {
    const wanted = documents.map(
      ({ path, batchId, index }): RowAgain => ({ path, batchId, index, values: {} }),
    );
    // The job may have got its receipt since it was looked at.
    const news = await share.sendAgain(jobId, { wanted, by });
    if (news !== undefined) return await sortOut(documents, news);
  }
  return await Promise.all(
    documents.map(async document => [document, await share.takeUpAgain(document)] as const),
  );
}

/** Which of them went, where only some did: those that do not lie there any more, if these are as many. */
async function sortOut(documents: readonly SetApartDocument[], news: readonly SheetNews[]): Promise<Results> {
  const why = news.find(({ kind }) => kind === 'waits')?.why;
  if (why !== undefined) return documents.map(document => [document, { kind: 'waits', why }]);
  const rows = news.reduce((sum, each) => sum + (each.rows ?? 0), 0);
  if (rows === documents.length) return documents.map(document => [document, { kind: 'in-drop' }]);
  const told = news.flatMap(each => each.told ?? []).join(' ');
  if (rows === 0) return failAll(documents, told);
  const [{ share }] = documents as readonly [SetApartDocument];
  const lying = new Set((await share.setApart()).files.map(keyOf));
  const went = documents.filter(document => !lying.has(keyOf(document)));
  if (went.length !== rows) return failAll(documents, `${rows} of ${documents.length} went. ${told}`);
  return documents.map(document => [
    document,
    went.includes(document) ? { kind: 'in-drop' } : { kind: 'failed', why: told },
  ]);
}

function keyOf({ batchId, index }: Pick<SetApartDocument, 'batchId' | 'index'>): string {
  return `${batchId}/${index}`;
}

function failAll(documents: readonly SetApartDocument[], why: string): Results {
  return documents.map(document => [document, { kind: 'failed', why }]);
}

function tell(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
