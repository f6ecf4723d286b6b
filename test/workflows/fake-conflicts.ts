// The activity that waits out conflicts as it is, on the small service behind the fake activities.

import type { IngestActivities, SubmitItem, SubmitRevisionsResult } from '../../activities';
import type { HoldSeen } from '../../activities/ingest/submit/see-hold';
import { waitOutConflicts } from '../../activities/ingest/submit/wait-out-conflicts';
import { inScope } from '../../activities/scope/activity-scope';
import { NotFoundError, RequestRefusedError, ServiceUnavailableError } from '../../activities/service/errors';
import { toReasonCode, type WorkflowConflict } from '../../activities/service/reasons';
import type { Sender } from '../../activities/service/service-client';

/** What it needs of the world of the fake activities. */
interface Service {
  readonly calls: { name: string; input: unknown }[];
  readonly uploads: ReadonlyMap<
    string,
    {
      readonly completed: boolean;
      readonly consumed: boolean;
      readonly deleted: boolean;
      readonly event: number;
    }
  >;
  readonly onCall: (name: string, call: number) => void | Promise<void>;
  /** Whether the batch is seen to be ours where the service is asked. */
  readonly holdSeen: HoldSeen;
  count(name: string): number;
  answerSubmission(items: readonly SubmitItem[], call: number): SubmitRevisionsResult;
}

type WaitOut = IngestActivities['waitOutConflicts'];

interface Sent {
  readonly body?: {
    readonly ids?: readonly string[];
    readonly uploads?: readonly { readonly id: string; readonly latestEventId: string }[];
  };
  readonly params: { readonly uploadId?: string };
}

/** Reads and submissions are counted beside those of the other activities. */
export function fakeWaitOut(world: Service): WaitOut {
  return async input => {
    const indexOf = new Map<string, number>(input.items.map(({ uploadId, index }) => [uploadId, index]));
    const deps = {
      client: clientOf(world, indexOf),
      withoutBulk: new Map(),
      withoutList: new Map(),
      seeHold: async () => world.holdSeen,
    };
    const draining = new AbortController().signal;
    return await inScope(draining, scope => waitOutConflicts(deps, input, scope), input.asked);
  };
}

function clientOf(world: Service, indexOf: ReadonlyMap<string, number>): Sender {
  const send = async ({ name }: { name: string }, input: Sent): Promise<unknown> => {
    if (name === 'uploads.selected') return { data: await read(world, input.body?.ids ?? []) };
    if (name === 'revisions.create') return { data: await submit(world, indexOf, input) };
    throw new NotFoundError('404', { effect: 'rejected', status: 404 });
  };
  return { send } as unknown as Sender;
}

async function read(world: Service, ids: readonly string[]) {
  world.calls.push({ name: 'readUploads', input: { items: ids } });
  await world.onCall('readUploads', world.count('readUploads'));
  return ids.flatMap(id => {
    const upload = world.uploads.get(id);
    if (upload === undefined || upload.consumed || upload.deleted || !upload.completed) return [];
    return [{ id, uploadStatus: 'COMPLETED', latestEventId: `E${upload.event}` }];
  });
}

async function submit(world: Service, indexOf: ReadonlyMap<string, number>, { body }: Sent) {
  const items = (body?.uploads ?? []).map(
    ({ id, latestEventId }): SubmitItem => ({
      index: indexOf.get(id) ?? -1,
      uploadId: id as never,
      eventId: latestEventId as never,
    }),
  );
  world.calls.push({ name: 'submitRevisions', input: { items } });
  await world.onCall('submitRevisions', world.count('submitRevisions'));
  const result = world.answerSubmission(items, world.count('submitRevisions'));
  if (result.kind === 'answered') return result;
  if (result.kind === 'refused') {
    const reasons = result.refusals.map(({ reasonCode, message, uploadId, inTheWay, reviews }) => ({
      reasonCode: toReasonCode(reasonCode),
      rawCode: reasonCode,
      message,
      ...(uploadId === undefined ? {} : { source: uploadId }),
      conflict: conflictOf(inTheWay, reviews),
    }));
    throw new RequestRefusedError('422', { effect: 'rejected', status: 422, reasons });
  }
  const effect = result.kind === 'not-sent' ? 'not-sent' : 'unknown';
  throw new ServiceUnavailableError('503', { fault: 'network', effect });
}

/** A review whose name is what stands in the way. */
function conflictOf(assignedWorkflow: string | undefined, identity: string | undefined): WorkflowConflict {
  const revision = { id: 'R', name: 'A', revision: 'P01', workflowInstanceId: 'W', workflowCurrentStep: '' };
  return {
    documentContainerId: null,
    existingRevisions: assignedWorkflow === undefined ? [] : [{ ...revision, assignedWorkflow, status: '' }],
    conflictingUploads: [],
    ...(identity === undefined ? {} : { identity }),
  };
}
