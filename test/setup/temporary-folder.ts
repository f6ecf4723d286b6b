// A folder of its own for each test, removed when the file's tests have ended.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Call it at the level of a describe or of the file; the answer is the folder of the running test. */
export function useTemporaryFolder(): () => string {
  let folder = '';
  const used: string[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'drawbridge-test-'));
  });
  // Hooks run in the order they were written, so a test file's own clean-up may come after ours: what its
  // processes still write must not meet a half-removed folder. After all tests they are gone.
  afterEach(() => void used.push(folder));
  afterAll(() => {
    for (const path of used) rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });
  return () => folder;
}
