// The server of the tests is watched over: one that answers nobody would fail every test after it.
import { execFileSync } from 'node:child_process';
import { startNamespace } from './temporal-namespace';
import { startTestServer } from './temporal-server';
import { useTemporaryFolder } from './temporary-folder';

const folder = useTemporaryFolder();

test('a server that stands still is started anew on its port, with what it kept', async () => {
  const server = await startTestServer({
    cli: process.env.DRAWBRIDGE_TEST_TEMPORAL_CLI ?? '',
    folder: folder(),
    asking: { everyMs: 100, silentForMs: 200 },
  });
  const { client, namespace, close } = await startNamespace(server.address);
  const [first] = processesOf(server.address);
  process.kill(first ?? 0, 'SIGSTOP');
  // The client asks again by itself where the connection is lost.
  const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
  const after = processesOf(server.address);
  await close();
  await server.stop();
  expect(namespaceInfo?.name).toBe(namespace);
  expect(after).toHaveLength(1);
  expect(after).not.toContain(first);
});

function processesOf(address: string): readonly number[] {
  const [, port = ''] = address.split(':');
  const found = execFileSync('pgrep', ['-f', `^[^ ]*temporal server start-dev .*--port ${port} `]);
  return String(found).trim().split('\n').map(Number);
}
