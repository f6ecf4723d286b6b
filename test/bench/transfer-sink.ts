// A storage that swallows: started as a process of its own, so that it does not share a core's event loop
// with what is measured. Argument `hash`: hashes what it takes, as a real storage would.

import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const hashes = process.argv.includes('hash');

const server = createServer({ highWaterMark: 256 * 1024 }, (request, response) => {
  const hash = hashes ? createHash('sha256') : undefined;
  request.on('data', chunk => hash?.update(chunk));
  request.on('end', () => {
    // rclone asks whether a file is there already.
    if (request.method !== 'PUT') return response.writeHead(404).end();
    response.setHeader('etag', `"${hash?.digest('hex').slice(0, 32) ?? 'taken'}"`);
    return response.end();
  });
});

process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
