// Which tests need what test/setup/global-setup.ts starts: those that reach test/setup/temporal.ts by their
// imports, or read what it has put into the environment.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const STARTED = 'test/setup/temporal.ts';
const SET_BY_IT = 'DRAWBRIDGE_TEST_TEMPORAL';
const IMPORT = /from '(\.[^']+)'/g;

/**
 * Answers for test files, relative to the root. Only what lies in test/ is followed:
 * the product reaches no set-up.
 */
export function findTemporalTests(root: string): (test: string) => boolean {
  const known = new Map<string, boolean>();
  const started = join(root, STARTED);
  const reaches = (path: string): boolean => {
    const text = () => readFileSync(path, 'utf8');
    const answer = known.get(path);
    if (answer !== undefined) return answer;
    // Against circles; put right below.
    known.set(path, false);
    const isIt =
      path === started ||
      (path.startsWith(join(root, 'test/')) && text().includes(SET_BY_IT)) ||
      (path.startsWith(join(root, 'test/')) &&
        [...text().matchAll(IMPORT)].some(([, name = '']) => {
          const next = `${join(dirname(path), name)}.ts`;
          return existsSync(next) && reaches(next);
        }));
    known.set(path, isIt);
    return isIt;
  };
  return test => reaches(join(root, test));
}
