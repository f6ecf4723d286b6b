// Has the fields of a project, with their allowed values and its people, kept on a share: they are too long
// for a history, and whoever shows them sees the share.
import { parseInput } from '../run/parse-input';
import { askOnce } from './ask-once';
import { type KeepFieldsInput, type KeepFieldsResult, keepFieldsInput } from './keep-fields-contract';

/**
 * An outage of the service is waited for; what a person has to repair is not: whoever needs the fields asks
 * again.
 */
export async function keepFieldsWorkflow(rawInput: KeepFieldsInput): Promise<KeepFieldsResult> {
  const input = parseInput(keepFieldsInput, rawInput, { share: 'tender' });
  return await askOnce<KeepFieldsResult>(
    input.share,
    calls => calls.service.keepFields(() => input, 'Keep the fields of the project on the share'),
    { share: input.share, fields: 'cannot-ask' },
  );
}
