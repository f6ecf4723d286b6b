// Asks the service once for something that is kept on a share.
import { Trigger } from '@temporalio/workflow';
import type { TemplateActivities } from '../../activities';
import { asideTaskQueue } from '../contract';
import { ServiceCalls } from '../run/activity-calls';

/** @param orElse what is answered where a person would have to repair something first. */
export async function askOnce<Result>(
  share: string,
  ask: (calls: ServiceCalls<TemplateActivities>) => Promise<Result>,
  orElse: Result,
): Promise<Result> {
  // No batch waits for it, so it takes no slot of the queue for short work; but people may.
  const calls = new ServiceCalls<TemplateActivities>(asideTaskQueue(share));
  const blocked = new Trigger<Result>();
  calls.whenBlocked({ block: () => blocked.resolve(orElse), unblock: () => undefined, resumes: 0 });
  return await Promise.race([ask(calls), blocked]);
}
