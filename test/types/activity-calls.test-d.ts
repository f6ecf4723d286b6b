// What a workflow may ask of activities. Nothing here runs: `npm run check` compiles it, and an expected
// error that does not come is one itself.
import type * as activities from '../../activities';
import type { LinkUploadsInput, LinkUploadsResult, UserActivities } from '../../activities';
import type { ActivityCalls, ServiceCalls } from '../../workflows/run/activity-calls';

declare const calls: ActivityCalls;
declare const users: ServiceCalls<UserActivities>;
declare const input: LinkUploadsInput;

/** The input and the result of a call are those of the function that does the work. */
export async function typesOfTheWork(): Promise<LinkUploadsResult> {
  // @ts-expect-error The input is asked for at every try, so it is a function.
  await calls.service.linkUploads(input, 'Link');
  // @ts-expect-error
  await calls.service.linkUploads(() => ({ ...input, items: 'all' }), 'Link');
  // @ts-expect-error Every call says in the Temporal UI what it is for.
  await calls.service.linkUploads(() => input);
  return await calls.service.linkUploads(() => input, 'Link');
}

/** Each job asks for its own, and a share's work goes to the share's queues. */
export function onlyWhatIsThere(): void {
  // @ts-expect-error
  void calls.service.linkUpload;
  // @ts-expect-error
  void calls.service.openBatch;
  // @ts-expect-error
  void calls.share.linkUploads;
  // @ts-expect-error
  void users.service.linkUploads;
  // @ts-expect-error Only work on a share may take longer than usual.
  void calls.service.linkUploads(() => input, 'Link', 'hours');
}

// @ts-expect-error Workflows import from `activities`, which holds no value: no network in their sandbox.
export type Factory = typeof activities.createServiceActivities;
