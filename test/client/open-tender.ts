// A configured share on disk, for commands that read it in the test's own process.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openShare } from '../../activities/share/open-share';
import type { Share } from '../../activities/share/share';
import { loadConfig } from '../../workers/config/config';
import { readShareKey } from '../../workers/share-key';
import { FakeLogger, simpleHasher } from '../activities/share/share-test-bed';

/** The share `tender` in `share/` of a folder; `drawbridge.json` in it has the configuration. */
export async function openTender(folder: string): Promise<Share> {
  const path = join(folder, 'drawbridge.json');
  const project = { companyId: '1', projectId: '2' };
  const shares = [{ name: 'tender', folder: './share', project }];
  writeFileSync(path, JSON.stringify({ stateDir: './state', shares }));
  const config = loadConfig({ path, environment: {} });
  const [tender] = config.shares;
  if (tender === undefined) throw new Error('no share');
  const deps = { hasher: simpleHasher, logger: new FakeLogger(), key: await readShareKey(config) };
  return await openShare(tender, deps);
}
