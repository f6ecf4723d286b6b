// What uploads are sent to, as a process of its own. Argument `page`: the page's server over a share in the
// folder that is named. `plain`: the least that takes the same bytes, and writes them to a file there.
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createDrop } from '../../client/console/drop/drop-module';
import type { ConsoleDeps } from '../../client/console/serve/module';
import { createTestBed } from '../activities/share/share-test-bed';
import { openServer } from '../client/console/serve/server-bed';

const [kind, folder = ''] = process.argv.slice(2);

async function servePage(): Promise<string> {
  const { config, open } = await createTestBed(folder);
  const share = await open();
  const deps: Partial<ConsoleDeps> = {
    shares: () => [{ config, share, why: undefined }],
    logger: { info: () => undefined, warn: () => undefined } as never,
    changed: () => undefined,
  };
  return (await openServer({ modules: [createDrop(deps as ConsoleDeps) as never] })).origin;
}

async function servePlain(): Promise<string> {
  const server = createServer((request, response) => {
    pipeline(request, createWriteStream(join(folder, 'plain.bin'))).then(
      () => response.end(),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

process.on('disconnect', () => process.exit());
void (kind === 'page' ? servePage() : servePlain()).then(origin => process.send?.({ origin }));
