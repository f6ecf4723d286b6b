// The stand-in service as a process of its own: what is said where it cannot start.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { startStandIn } from '../../../client/session/stand-in';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const folder = useTemporaryFolder();

test.each(['--port', '--stand-in-port'] as const)(
  'a port that is taken is told with %s',
  async portOption => {
    const other = createServer().listen(0, '127.0.0.1');
    try {
      await once(other, 'listening');
      const firstPort = (other.address() as AddressInfo).port;
      const input = {
        dataFolder: join(folder(), 'data'),
        logFile: join(folder(), 'log'),
        firstPort,
        speed: 1,
      };
      await expect(startStandIn({ ...input, portOption })).rejects.toThrow(`give ${portOption} with`);
    } finally {
      other.close();
    }
  },
);
