// What the planning of documents is told besides the documents. Pure.
import type { BatchPolicy, RegisterHeader, RegisterInput } from '../ingest-contract';

/** What goes before names and folders, of the share and of all registers of the batch. */
export function askForRegisters({
  policy,
  registers,
}: {
  readonly policy: Pick<BatchPolicy, 'values' | 'register'>;
  readonly registers: readonly RegisterHeader[];
}): RegisterInput {
  return {
    ...(policy.values === undefined ? {} : { forced: policy.values }),
    ...(policy.register === undefined || registers.length === 0
      ? {}
      : { register: { rules: policy.register, registers } }),
  };
}
