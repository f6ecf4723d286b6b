import { Secret } from '../../activities/service/secret';
import { completeServiceConfig } from '../../activities/service/service-config';
import { createFileAdapters } from '../../workers/adapters';
import { loadConfig } from '../../workers/config/config';
import { createLogger } from '../../workers/logging';
import { useTemporaryFolder } from '../setup/temporary-folder';

const folder = useTemporaryFolder();

test('the runs of a process send no more at once than the storage has connections', async () => {
  const config = loadConfig({ environment: {}, workingFolder: folder() });
  const service = completeServiceConfig({
    baseUrl: 'http://127.0.0.1:1',
    authUrl: 'http://127.0.0.1:1',
    clientId: 'client',
    clientSecret: new Secret('secret'),
    allowInsecureLoopback: true,
  });
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
