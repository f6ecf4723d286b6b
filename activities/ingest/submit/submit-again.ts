// The confirmation of a submission: the same uploads are submitted once more. An upload is consumed by its
// submission, so one that was heard the first time is refused as not found, and one that was not becomes a
// revision now: never a second one.
import type { Refusal } from '../../../workflows/ingest/decide/judge-refusal';
import { judgeSubmission } from '../../../workflows/ingest/decide/judge-submission';
import type { ActivityScope } from '../../scope/activity-scope';
import { isStandingStill } from '../../scope/failure';
import { isServiceError } from '../../service/errors';
import type { Sender } from '../../service/service-client';
import type { SubmitAgainInput, SubmitAgainResult } from '../api';
import { requireProject } from '../require-project';
import { maySubmit, type SeeHold } from './see-hold';
import { refusalsOf, requestRevisions } from './submit-revisions';

type Item = SubmitAgainInput['items'][number];
type End = SubmitAgainResult['documents'][number];
interface Asking extends Pick<ActivityScope, 'signal'> {
  /** Throws where the service does not know the project. */
  readonly askProject: () => Promise<void>;
  /** Keeps what became of some of them, whatever happens with the others. */
  readonly tell: (ends: readonly End[]) => void;
}
type Accepted = Awaited<ReturnType<typeof requestRevisions>>;

/** What attempts tell the next one. */
interface Before {
  readonly told: readonly End[];
}

/**
 * If a response is lost, another attempt asks again: what the first one submitted is then `consumed`. What an
 * attempt was told before it broke off is not asked again: it would be `consumed` as well, its id lost. Where
 * the call would stand still, it therefore ends with what it was told, and nothing is said of the others. So
 * it does where the batch is not seen to be ours: what was not heard before would become a revision now.
 */
export async function submitAgain(
  { client, seeHold }: { readonly client: Sender; readonly seeHold: SeeHold },
  input: SubmitAgainInput,
  scope: Pick<ActivityScope, 'attempt' | 'lastDetails' | 'report' | 'signal' | 'temporalMs'>,
): Promise<SubmitAgainResult> {
  const { told: before = [] } = (scope.lastDetails ?? {}) as Partial<Before>;
  if (!(await maySubmit(seeHold, input, scope))) {
    return { documents: before, atMs: scope.temporalMs(), holdToSee: { attempts: scope.attempt - 1 } };
  }
  const told = [...before];
  const tell = (ends: readonly End[]) => {
    told.push(...ends);
    scope.report({ told: [...told] } satisfies Before);
  };
  const isTold = new Set(before.map(({ index }) => index));
  const items = input.items.filter(({ index }) => !isTold.has(index));
  let known: Promise<void> | undefined;
  const askProject = async () => {
    known ??= requireProject(client, input, scope.signal);
    await known;
  };
  try {
    await submitGroup(client, { ...input, items }, { signal: scope.signal, askProject, tell });
  } catch (error: unknown) {
    if (told.length === 0 || !isStandingStill(error)) throw error;
  }
  return { documents: told, atMs: scope.temporalMs() };
}

async function submitGroup(client: Sender, input: SubmitAgainInput, asking: Asking): Promise<void> {
  const { project, items } = input;
  if (items.length === 0) return;
  const response = await send(client, input, asking);
  if (!('refusals' in response)) {
    asking.tell(toEnds(items, response));
    return;
  }
  const { refusals } = response;
  const refusalOf = new Map(refusals.map(refusal => [refusal.uploadId, refusal]));
  const named = items.filter(({ uploadId }) => refusalOf.has(uploadId));
  if (named.length > 0) {
    const others = items.filter(({ uploadId }) => !refusalOf.has(uploadId));
    asking.tell(named.map(({ index, uploadId }) => toEnd(index, refusalOf.get(uploadId))));
    await submitGroup(client, { project, items: others }, asking);
    return;
  }
  const [only] = items;
  if (items.length === 1 && only !== undefined) {
    asking.tell([toEnd(only.index, refusals[0])]);
    return;
  }
  // The refusal names no upload: then each is submitted by itself.
  for (const item of items) await submitGroup(client, { project, items: [item] }, asking);
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

function toEnds(items: readonly Item[], response: Accepted): readonly End[] {
  const judged = judgeSubmission(items, response);
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
