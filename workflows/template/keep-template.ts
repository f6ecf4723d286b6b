// One look at the template at the root of a share, which is written anew when what it says is out of date.
import { parseInput } from '../run/parse-input';
import { askOnce } from './ask-once';
import { type KeepTemplateInput, type KeepTemplateResult, keepTemplateInput } from './keep-template-contract';

/**
 * An outage of the service or of the share is waited for. What a person has to repair is not: there will be
 * another look.
 */
export async function keepTemplateWorkflow(rawInput: KeepTemplateInput): Promise<KeepTemplateResult> {
  const input = parseInput(keepTemplateInput, rawInput, { share: 'tender' });
  return await askOnce(
    input.share,
    calls => calls.service.keepTemplate(() => input, 'Keep the template of the share fresh'),
    { share: input.share, template: 'cannot-ask' },
  );
}
