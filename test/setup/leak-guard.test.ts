// What a test file leaves open is seen, whatever other files had left open before it.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

test('servers, sockets, processes and watchers that are open are named, and no more once they are closed', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(__dirname, 'open-and-close.cjs')]);
  expect(JSON.parse(stdout)).toEqual({
    open: ['1 TCPServerWrap', '2 TCPSocketWrap', '1 ProcessWrap', '1 FSEventWrap'],
    openToWhoComesLater: [],
    closed: [],
  });
});
