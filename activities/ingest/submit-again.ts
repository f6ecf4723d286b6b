// The second witness of a submission: the same uploads are submitted once more. An upload is consumed by its
// submission, so one that was heard the first time is refused as not found, and one that was not becomes a
// revision now: never a second one.
import { account } from '../../workflows/ingest/decide/account';
import type { Refusal } from '../../workflows/ingest/decide/judge-refusal';
import { pairRevisions } from '../../workflows/ingest/decide/pair-revisions';
import type { ActivityScope } from '../scope/activity-scope';
import { createRevisions } from '../service/endpoints/document-revisions';
import { isServiceError } from '../service/errors';
import type { Sender } from '../service/service-client';
import type { SubmitAgainInput, SubmitAgainResult } from './api';
import { inProject, toRefusal } from './documents';

type Item = SubmitAgainInput['items'][number];
type End = SubmitAgainResult['documents'][number];

/** An answer that is lost is asked for again, by another attempt: what it submitted is then `consumed`. */
export async function submitAgain(
  client: Sender,
  input: SubmitAgainInput,
  scope: Pick<ActivityScope, 'signal'>,
  nowMs: () => number = Date.now,
): Promise<SubmitAgainResult> {
  return { documents: await submitGroup(client, input, scope), atMs: nowMs() };
}

async function submitGroup(
  client: Sender,
  input: SubmitAgainInput,
  scope: Pick<ActivityScope, 'signal'>,
): Promise<readonly End[]> {
  const { project, items } = input;
  if (items.length === 0) return [];
  const refusals = await send(client, input, scope);
  if (!Array.isArray(refusals)) return toEnds(items, refusals);
  const refusalOf = new Map(refusals.map(refusal => [refusal.uploadId, refusal]));
  const named = items.filter(({ uploadId }) => refusalOf.has(uploadId));
  if (named.length > 0) {
    const others = items.filter(({ uploadId }) => !refusalOf.has(uploadId));
    const ends = named.map(({ index, uploadId }) => toEnd(index, refusalOf.get(uploadId)));
    return [...ends, ...(await submitGroup(client, { project, items: others }, scope))];
  }
  const [only] = items;
  if (items.length === 1 && only !== undefined) return [toEnd(only.index, refusals[0])];
  // Nobody is named: then each speaks for itself.
  const ends: End[] = [];
  for (const item of items) ends.push(...(await submitGroup(client, { project, items: [item] }, scope)));
  return ends;
}

function toEnd(index: number, refusal: Refusal | undefined): End {
  const isGone = refusal?.reasonCode === 'UPLOAD_NOT_FOUND';
  return { index, end: { kind: isGone ? 'consumed' : 'unclear' } };
}

interface Accepted {
  readonly revisionIds: readonly string[];
  readonly failures: readonly { readonly uploadId: string | null }[];
}

/**
 * The refusals, if the request was refused; whatever says nothing of the uploads is thrown and tried again.
 */
async function send(
  client: Sender,
  { project, items }: SubmitAgainInput,
  scope: Pick<ActivityScope, 'signal'>,
): Promise<Accepted | Refusal[]> {
  try {
    const { data } = await client.send(createRevisions, {
      ...inProject(project),
      signal: scope.signal,
      body: {
        uploads: items.map(({ uploadId, eventId, termination }) => ({
          id: uploadId,
          latestEventId: eventId,
          termination,
        })),
      },
    });
    return data;
  } catch (error: unknown) {
    if (!isServiceError(error)) throw error;
    if (error.code === 'REQUEST_REFUSED') return error.reasons.map(toRefusal);
    if (error.code !== 'NOT_FOUND') throw error;
    const reasons = error.reasons.map(toRefusal).filter(({ reasonCode }) => reasonCode !== 'OTHER');
    return reasons.length > 0 ? reasons : [{ reasonCode: 'UPLOAD_NOT_FOUND', message: '' }];
  }
}

function toEnds(items: readonly Item[], answer: Accepted): readonly End[] {
  const failures = answer.failures.map(({ uploadId }) => ({ id: uploadId ?? '' }));
  const { failed, missing: accepted } = account(items, ({ uploadId }) => uploadId, [], failures);
  const isNamed = failures.every(({ id }) => id !== '');
  const pairs = isNamed ? pairRevisions(accepted, answer.revisionIds) : 'look';
  if (pairs === 'look') return items.map(({ index }) => ({ index, end: { kind: 'unclear' } }));
  return [
    ...failed.map(({ item: { index } }): End => ({ index, end: { kind: 'unclear' } })),
    ...pairs.map(
      ({ item: { index }, revisionId, paired }): End => ({
        index,
        end: { kind: 'submitted', revisionId, paired },
      }),
    ),
  ];
}
