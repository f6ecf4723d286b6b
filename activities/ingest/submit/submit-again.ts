// The second witness of a submission: the same uploads are submitted once more. An upload is consumed by its
// submission, so one that was heard the first time is refused as not found, and one that was not becomes a
// revision now: never a second one.
import type { Refusal } from '../../../workflows/ingest/decide/judge-refusal';
import { judgeSubmission } from '../../../workflows/ingest/decide/judge-submission';
import type { ActivityScope } from '../../scope/activity-scope';
import { isServiceError } from '../../service/errors';
import type { Sender } from '../../service/service-client';
import type { SubmitAgainInput, SubmitAgainResult } from '../api';
import { requireProject } from '../require-project';
import { refusalsOf, requestRevisions } from './submit-revisions';

type Item = SubmitAgainInput['items'][number];
type End = SubmitAgainResult['documents'][number];
interface Asking extends Pick<ActivityScope, 'signal'> {
  /** Throws where the service does not know the project. */
  readonly askProject: () => Promise<void>;
}
type Accepted = Awaited<ReturnType<typeof requestRevisions>>;

/** If a response is lost, another attempt asks again: what the first one submitted is then `consumed`. */
export async function submitAgain(
  client: Sender,
  input: SubmitAgainInput,
  scope: Pick<ActivityScope, 'signal'>,
  nowMs: () => number = Date.now,
): Promise<SubmitAgainResult> {
  let known: Promise<void> | undefined;
  // Once, at the first 404: where asking fails, the revisions that came before it would lose their ids.
  const askProject = async () => {
    known ??= requireProject(client, input, scope.signal);
    await known;
  };
  return { documents: await submitGroup(client, input, { ...scope, askProject }), atMs: nowMs() };
}

async function submitGroup(client: Sender, input: SubmitAgainInput, asking: Asking): Promise<readonly End[]> {
  const { project, items } = input;
  if (items.length === 0) return [];
  const answer = await send(client, input, asking);
  if (!('refusals' in answer)) return toEnds(items, answer);
  const { refusals } = answer;
  const refusalOf = new Map(refusals.map(refusal => [refusal.uploadId, refusal]));
  const named = items.filter(({ uploadId }) => refusalOf.has(uploadId));
  if (named.length > 0) {
    const others = items.filter(({ uploadId }) => !refusalOf.has(uploadId));
    const ends = named.map(({ index, uploadId }) => toEnd(index, refusalOf.get(uploadId)));
    return [...ends, ...(await submitGroup(client, { project, items: others }, asking))];
  }
  const [only] = items;
  if (items.length === 1 && only !== undefined) return [toEnd(only.index, refusals[0])];
  // The refusal names no upload: then each is submitted by itself.
  const ends: End[] = [];
  for (const item of items) ends.push(...(await submitGroup(client, { project, items: [item] }, asking)));
  return ends;
}

function toEnd(index: number, refusal: Refusal | undefined): End {
  const isGone = refusal?.reasonCode === 'UPLOAD_NOT_FOUND';
  return { index, end: { kind: isGone ? 'consumed' : 'unclear' } };
}

/**
 * The refusals, if the request was refused; whatever says nothing of the uploads is thrown and tried again.
 */
async function send(
  client: Sender,
  input: SubmitAgainInput,
  asking: Asking,
): Promise<Accepted | { readonly refusals: readonly Refusal[] }> {
  try {
    return await requestRevisions(client, input, asking.signal);
  } catch (error: unknown) {
    if (!isServiceError(error)) throw error;
    // In a project that the service does not know every upload answers 404: that is no word of any of them.
    if (error.code === 'NOT_FOUND') await asking.askProject();
    const refusals = refusalsOf(error);
    if (refusals === undefined) throw error;
    return { refusals };
  }
}

function toEnds(items: readonly Item[], answer: Accepted): readonly End[] {
  const judged = judgeSubmission(items, answer);
  if (judged.kind === 'look') return items.map(({ index }) => ({ index, end: { kind: 'unclear' } }));
  return [
    ...judged.refused.map(({ item: { index } }): End => ({ index, end: { kind: 'unclear' } })),
    ...judged.accepted.map(
      ({ item: { index }, revisionId, paired }): End => ({
        index,
        end: { kind: 'submitted', revisionId, paired },
      }),
    ),
  ];
}
