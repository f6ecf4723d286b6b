// What the settings of a share say of registers.
import { compileRegisterNames } from '../../registers/register-name';
import type { ShareConfig } from '../share-config';
import type { RegisterWords } from './find-job-register';

export function registerWordsOf({
  register,
  policy,
}: Pick<ShareConfig, 'register' | 'policy'>): RegisterWords {
  return {
    isNamed: compileRegisterNames(register?.pattern),
    synonyms: policy.register?.synonyms ?? {},
    emptyWord: policy.register?.emptyWord ?? '-',
  };
}
