// One look at the template at the root of a share, which writes it anew when it says something else.
import { Trigger } from '@temporalio/workflow';
import type { TemplateActivities } from '../../activities';
import { longTransferTaskQueue } from '../contract';
import { ServiceCalls } from '../run/activity-calls';
import { parseInput } from '../run/parse-input';
import { type KeepTemplateInput, type KeepTemplateResult, keepTemplateInput } from './keep-template-contract';

/**
 * An outage of the service or of the share is waited for. What a person has to repair is not: the next look
 * comes.
 */
export async function keepTemplateWorkflow(rawInput: KeepTemplateInput): Promise<KeepTemplateResult> {
  const input = parseInput(keepTemplateInput, rawInput, { share: 'tender' });
  // Nobody waits for it: it takes no place from what takes a moment.
  const calls = new ServiceCalls<TemplateActivities>(longTransferTaskQueue(input.share));
  const blocked = new Trigger<KeepTemplateResult>();
  calls.whenBlocked({
    block: () => blocked.resolve({ share: input.share, template: 'cannot-ask' }),
    unblock: () => undefined,
    resumes: 0,
  });
  return await Promise.race([
    calls.service.keepTemplate(() => input, 'Keep the template of the share fresh'),
    blocked,
  ]);
}
