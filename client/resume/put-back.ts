// Brings documents that were set apart to the drop folder again for `resume --set-apart`: with their rows,
// where they came with a register, and else as files alone. Those of one job go together, with one register.
import type { RowAgain, RowsNews } from '../../activities/share/receipt/corrected/rows-again';
import type { TakenUp } from '../../activities/share/receipt/set-apart';
import type { SetApartDocument } from './stopped-batch';

/** What became of a document that was asked to be put back. */
export type PutBack = TakenUp | { readonly kind: 'failed'; readonly why: string };

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
    if (news !== undefined) return sortOut(documents, wanted, news);
  }
  return await Promise.all(
    documents.map(async document => [document, await share.takeUpAgain(document)] as const),
  );
}

/** @param wanted of each of the documents. */
function sortOut(
  documents: readonly SetApartDocument[],
  wanted: readonly RowAgain[],
  news: readonly RowsNews[],
): Results {
  const resultOf = new Map<RowAgain | undefined, PutBack>();
  for (const each of news) for (const row of each.wanted ?? []) resultOf.set(row, toPutBack(each));
  const told = news.flatMap(each => (each.kind === 'told' ? (each.told ?? []) : []));
  const why = told.length > 0 ? told.join(' ') : NOT_TOLD;
  return documents.map((document, at) => [document, resultOf.get(wanted[at]) ?? { kind: 'failed', why }]);
}

function toPutBack({ kind, why = '' }: RowsNews): PutBack {
  if (kind === 'waits') return { kind, why };
  return { kind: kind === 'gone' ? kind : 'in-drop' };
}

/** No way is known on which this would be said. */
const NOT_TOLD = 'It did not go, and nothing was told of it.';

function failAll(documents: readonly SetApartDocument[], why: string): Results {
  return documents.map(document => [document, { kind: 'failed', why }]);
}

function tell(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
