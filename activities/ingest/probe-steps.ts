// Waits out an outage of one step of the service: one document is sent again and again, a
// single one at each attempt, until the service answers for it. Attempts cost no history, so an
// outage may last as long as it likes.
import type { Asking } from '../../workflows/contract';
import { isOwnFailure, type Refusal } from '../../workflows/ingest/decide/judge-refusal';
import type { ActivityScope } from '../scope/activity-scope';
import { patiently } from '../scope/failure';
import { isUnexplained, ServiceUnavailableError } from '../service/errors';
import type { Sender } from '../service/service-client';
import type {
  LinkUploadsInput,
  LinkUploadsResult,
  ProbeResult,
  ProbeSubmissionInput,
  ProbeSubmissionResult,
  SubmitRevisionsResult,
} from './api';
import { linkUploads, type WriteDeps } from './documents';
import { readOne } from './look-at-uploads';
import { maySubmit, type SeeHold } from './submit/see-hold';
import { submitRevisions } from './submit/submit-revisions';

type Scope = Pick<ActivityScope, 'signal' | 'attempt' | 'isOfOtherRun'>;
type TellingScope = Scope & Pick<ActivityScope, 'lastDetails' | 'report' | 'temporalMs'>;

/**
 * Step 8 with one of the items, another one at each attempt, since the one may be what the service cannot
 * digest. Submitting the same upload again is safe: one that was heard is refused as gone, and the workflow
 * looks at it. Items whose attempt got no response are returned as `unheard`: even one that had never gone
 * out before may be a revision by now. Without `giveUpAfter` (attempts) it waits without an end. It ends as
 * soon as the batch is not seen to be ours: whoever has it now may have sent the files anew.
 */
export async function probeSubmission(
  { client, seeHold }: { readonly client: Sender; readonly seeHold: SeeHold },
  input: ProbeSubmissionInput,
  scope: TellingScope,
): Promise<ProbeSubmissionResult> {
  const unheard = readUnheard(input, scope);
  const toldUnheard = unheard.length === 0 ? {} : { unheard };
  if (!(await maySubmit(seeHold, input, scope)))
    return { kind: 'hold-to-see', attempts: scope.attempt - 1, ...toldUnheard };
  const item = chooseItem(input.items, scope);
  const watched = keepFailure(client);
  const result = await submitRevisions(
    watched.client,
    { ...input, items: [item] },
    { signal: scope.signal, attempt: 1, temporalMs: scope.temporalMs },
  );
  // Not sent, or turned away for the rate limit: that says nothing of the document.
  if (result.kind === 'not-sent') {
    scope.report({ attempts: scope.attempt, unheard } satisfies Probed);
    throw patiently(watched.failure(), scope);
  }
  const isFailed = refusalsOf(result).some(({ reasonCode }) => isOwnFailure(reasonCode));
  if (result.kind !== 'unknown' && !isFailed)
    return { kind: 'answered', index: item.index, result, ...toldUnheard };
  const nowUnheard = [...new Set([...unheard, item.index])];
  scope.report({ attempts: scope.attempt, unheard: nowUnheard } satisfies Probed);
  const failure = isFailed ? FAILED_FOR_IT : watched.failure();
  return { ...giveUpOrThrow(input, scope, failure), unheard: nowUnheard };
}

function refusalsOf(result: SubmitRevisionsResult): readonly Pick<Refusal, 'reasonCode'>[] {
  if (result.kind === 'answered') return result.failures;
  return result.kind === 'refused' ? result.refusals : [];
}

const FAILED_FOR_IT = new ServiceUnavailableError('the service failed for the document, by its own word', {
  fault: 'response',
  effect: 'unknown',
});

/** What attempts tell the next one. */
interface Probed {
  /** Number of the last attempt that told what became of its request. */
  readonly attempts: number;
  /** Indexes of those whose request got no response. */
  readonly unheard: readonly number[];
}

/**
 * Also those of earlier attempts that ended without a report: their requests may have gone out. Where the
 * same was asked for before these are all of them: each may have been tried, and what those attempts told
 * went with them.
 */
function readUnheard(
  { items, asked, attemptsBefore = 0 }: ProbeSubmissionInput,
  scope: TellingScope,
): readonly number[] {
  if (isAskedBefore(scope, asked)) return items.map(({ index }) => index);
  const { attempt, lastDetails } = scope;
  const { attempts = attemptsBefore, unheard = [] } = (lastDetails ?? {}) as Partial<Probed>;
  const lost = Math.min(items.length, attempt - 1 - attempts);
  const ofLost = Array.from({ length: Math.max(0, lost) }, (_, back) => {
    return chooseItem(items, { attempt: attempt - 1 - back }).index;
  });
  return [...new Set([...unheard, ...ofLost])];
}

/** Step 6 in the same way; one whose earlier linking was heard after all is answered as linked. */
export async function probeLinking(
  { client, lookups }: WriteDeps,
  input: LinkUploadsInput & { readonly giveUpAfter?: number },
  scope: Scope,
): Promise<ProbeResult<LinkUploadsResult>> {
  const item = chooseItem(input.items, scope);
  const watched = keepFailure(client);
  const linked = { kind: 'answered', linked: [item.index], failed: [], missing: [] } as const;
  // Its request may have been heard minutes ago, though its response was lost: people may have edited the
  // upload since, and it is not written again.
  const isPerhapsHeard = isAskedBefore(scope, input.asked) || scope.attempt > input.items.length;
  const isSecond = isPerhapsHeard && input.onlyEmpty !== true && item.relink !== true;
  if (isSecond && (await isCompleted(client, input, item.uploadId, scope))) {
    return { kind: 'answered', index: item.index, result: linked };
  }
  try {
    const result = await linkUploads({ client: watched.client, lookups }, { ...input, items: [item] }, scope);
    if (result.kind !== 'failed') return { kind: 'answered', index: item.index, result };
  } catch (error: unknown) {
    if (!isUnexplained(error)) throw patiently(error, scope);
  }
  // "Already linked" is one of the 500s, so a look tells. An upload that was looked at above is looked at
  // again by the next attempt.
  const isLast = input.giveUpAfter !== undefined && scope.attempt >= input.giveUpAfter;
  if (isSecond && !isLast) throw patiently(watched.failure(), scope);
  if (await isCompleted(client, input, item.uploadId, scope)) {
    return { kind: 'answered', index: item.index, result: linked };
  }
  return giveUpOrThrow(input, scope, watched.failure());
}

/**
 * The run before a reset may have tried the same, however often: it asked for this work, or for the like. So
 * may this run, before it stood still for something that only a person could repair.
 */
function isAskedBefore({ isOfOtherRun }: Pick<Scope, 'isOfOtherRun'>, asked: Asking): boolean {
  return isOfOtherRun || asked.afterReset === true || asked.again === true;
}

function chooseItem<Item>(items: readonly Item[], { attempt }: Pick<Scope, 'attempt'>): Item {
  const item = items[(attempt - 1) % items.length];
  if (item === undefined) throw new RangeError('A probe needs a document');
  return item;
}

function giveUpOrThrow(
  { giveUpAfter }: { readonly giveUpAfter?: number },
  scope: Scope,
  failure: unknown,
): { readonly kind: 'gave-up' } {
  if (giveUpAfter !== undefined && scope.attempt >= giveUpAfter) return { kind: 'gave-up' };
  throw patiently(failure, scope);
}

async function isCompleted(
  client: Sender,
  input: Pick<LinkUploadsInput, 'project'>,
  uploadId: LinkUploadsInput['items'][number]['uploadId'],
  scope: Scope,
): Promise<boolean> {
  try {
    // `hidden` means that it is still INCOMPLETE, or gone: then linking it tells.
    const found = await readOne(client, input.project, uploadId, scope.signal);
    return typeof found === 'object' && found.uploadStatus === 'COMPLETED';
  } catch (error: unknown) {
    throw patiently(error, scope);
  }
}

/** The same client, which remembers why it failed last: the results for the workflow do not say it. */
export function keepFailure(client: Sender): { readonly client: Sender; readonly failure: () => unknown } {
  let failure: unknown = new ServiceUnavailableError('the service gave no answer', {
    fault: 'response',
    effect: 'unknown',
  });
  return {
    client: {
      send: async (endpoint, input) => {
        try {
          return await client.send(endpoint, input);
        } catch (error: unknown) {
          failure = error;
          throw error;
        }
      },
    },
    failure: () => failure,
  };
}
