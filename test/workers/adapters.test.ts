import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '../../activities/service/secret';
import { completeServiceConfig } from '../../activities/service/service-config';
import type { SegmentBody } from '../../activities/transfer/source/segment-source';
import { createFileAdapters } from '../../workers/adapters';
import { loadConfig } from '../../workers/config/config';
import { createLogger } from '../../workers/logging';
import { leadNamesTo } from '../activities/transfer/storage/names';
import { useTemporaryFolder } from '../setup/temporary-folder';

const folder = useTemporaryFolder();
afterEach(() => jest.restoreAllMocks());
const LOCAL = { baseUrl: 'http://127.0.0.1:1', authUrl: 'http://127.0.0.1:1', clientId: 'client' };
const service = completeServiceConfig({
  ...LOCAL,
  clientSecret: new Secret('secret'),
  allowInsecureLoopback: true,
});

test('the runs of a process send no more at once than the storage has connections', async () => {
  const config = loadConfig({ environment: {}, workingFolder: folder() });
  const worker = { ...config.worker, transferConnections: 2 };
  const adapters = createFileAdapters({ ...config, worker }, service, createLogger({ level: 'silent' }));
  try {
    for (const { slots } of [adapters.engine, adapters.asideEngine, adapters.longEngine]) {
      let begun = 0;
      let end = () => {};
      const ended = new Promise<void>(resolve => {
        end = resolve;
      });
      const puts = Array.from({ length: 3 }, () =>
        slots?.(() => {
          begun += 1;
          return ended;
        }),
      );
      await new Promise(setImmediate);
      expect(begun).toBe(2);
      end();
      await Promise.all(puts);
    }
  } finally {
    await adapters.close();
  }
});

test.each([
  [{}, true],
  [{ allowPrivateStorage: false }, true],
  [{ allowPrivateStorage: true }, false],
])(
  'a storage in a private network, where the configuration says %j, is refused: %s',
  async (said, isRefused) => {
    leadNamesTo('10.0.0.8');
    const path = join(folder(), 'drawbridge.json');
    writeFileSync(path, JSON.stringify({ service: { ...LOCAL, allowInsecureLoopback: true, ...said } }));
    const config = loadConfig({ path, secrets: 'leave', environment: {} });
    const adapters = createFileAdapters(config, service, createLogger({ level: 'silent' }));
    const body: SegmentBody = {
      chunks: async function* () {
        yield Buffer.alloc(1);
      },
      failure: undefined,
      readingSinceMs: undefined,
      close: () => undefined,
    };
    try {
      for (const { storage } of [adapters.engine, adapters.asideEngine, adapters.longEngine]) {
        const sending = storage.put({
          segment: { url: 'https://bucket.storage.example/part', headers: {} },
          source: { sizeBytes: 1, open: () => body },
          signal: new AbortController().signal,
        });
        const code = isRefused ? 'UNSAFE_TARGET' : 'STORAGE_FAULT';
        await expect(sending).rejects.toMatchObject({ code });
      }
    } finally {
      await adapters.close();
    }
  },
);
