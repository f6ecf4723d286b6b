import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../activities/host/error-code';
import { Secret } from '../../activities/service/secret';
import { completeServiceConfig } from '../../activities/service/service-config';
import type { SegmentBody } from '../../activities/transfer/source/segment-source';
import { createFileAdapters } from '../../workers/adapters';
import { loadConfig } from '../../workers/config/config';
import { createLogger } from '../../workers/logging';
import { useTemporaryFolder } from '../setup/temporary-folder';

// Any name of a storage leads to an address for measurements, which is private and nobody's.
jest.mock('node:dns', () => ({
  ...jest.requireActual<object>('node:dns'),
  lookup: (_name: string, _options: unknown, callback: (...answer: unknown[]) => void) =>
    callback(null, [{ address: '198.18.0.1', family: 4 }]),
}));

const folder = useTemporaryFolder();
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
    for (const { slots } of [adapters.engine, adapters.longEngine]) {
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
      for (const { storage } of [adapters.engine, adapters.longEngine]) {
        const sending = storage.put({
          segment: { url: 'https://bucket.storage.example:9/part', headers: {} },
          source: { sizeBytes: 1, open: () => body },
          // Nobody is there to be connected to: that it is tried is enough.
          signal: isRefused ? new AbortController().signal : AbortSignal.timeout(300),
        });
        const code = await sending.then(() => '', codeOf);
        expect([code, code === 'UNSAFE_TARGET']).toEqual([code, isRefused]);
      }
    } finally {
      await adapters.close();
    }
  },
);
