// A claimer in a process of its own: claims the whole drop folder in batches of 20, or stops at a given
// moment and waits there to be killed. Argument: {folder, stopAt?}.
import type { DropEntry } from '../../../activities/share/drop/scan-drop';
import { openShare } from '../../../activities/share/open-share';
import { SHARE_DEFAULTS } from '../../../activities/share/share-config';
import { createFaultyFs } from './faulty-fs';
import { FakeLogger, POLICY, SHARE_KEY, simpleHasher, submitted } from './share-test-bed';

interface Input {
  readonly folder: string;
  readonly stopAt?: 'before-manifest' | 'after-manifest' | 'before-move';
}

const input: Input = JSON.parse(process.argv[2] ?? '{}');
const say = (line: object) => void process.stdout.write(`${JSON.stringify(line)}\n`);

async function stop(): Promise<never> {
  say({ event: 'stopped' });
  setInterval(() => undefined, 1_000);
  return await new Promise<never>(() => undefined);
}

async function main(): Promise<void> {
  const fs = createFaultyFs(async (operation, path, to) => {
    const isManifest = operation === 'link' && String(to).endsWith('batch.json');
    if (input.stopAt === 'before-manifest' && isManifest) await stop();
    const isMove = operation === 'link' && String(path).includes('/files/');
    if (input.stopAt === 'before-move' && isMove) await stop();
  });
  const share = await openShare(
    {
      ...SHARE_DEFAULTS,
      name: 'tender',
      folder: input.folder,
      project: { companyId: '1', projectId: '2' },
      policy: POLICY,
    },
    { hasher: simpleHasher, logger: new FakeLogger(), fs, key: SHARE_KEY },
  );
  for (;;) {
    const entries: DropEntry[] = [];
    for await (const name of share.scan()) {
      const entry = await share.look(name);
      if (entry !== undefined) entries.push(entry);
      if (entries.length >= 20) break;
    }
    if (entries.length === 0) break;
    const { batch } = await share.claim(entries);
    if (batch === undefined) continue;
    const sealed = await share.writeManifest(batch);
    if (sealed.batchId === undefined) continue;
    if (input.stopAt === 'after-manifest') await stop();
    if (input.stopAt === 'before-move') {
      const all = sealed.manifest.files.map(file => submitted(file.index));
      await share.settleUp(sealed.batchId, all, { final: true });
    }
    say({ event: 'sealed', paths: sealed.manifest.files.map(file => file.path) });
  }
}

void main();
