// What the settings of a share say of registers.

import { emptyWordOf } from '../../../workflows/ingest/decide/empty-word';
import type { BatchPolicy } from '../../../workflows/ingest/ingest-contract';
import { compileRegisterNames } from '../../registers/register-name';
import type { RegisterWords } from './find-job-register';

interface RegisterSettings {
  readonly register?: { readonly pattern?: string | undefined } | undefined;
  readonly policy: Pick<BatchPolicy, 'register'>;
}

export function registerWordsOf({ register, policy }: RegisterSettings): RegisterWords {
  return {
    isNamed: compileRegisterNames(register?.pattern),
    synonyms: policy.register?.synonyms ?? {},
    emptyWord: emptyWordOf(policy),
  };
}
