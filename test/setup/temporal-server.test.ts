// The server of the tests is watched over: one that answers nobody would fail every test after it.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
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
  try {
    const { client, namespace, close } = await startNamespace(server.address);
    const first = processOf(server.address);
    process.kill(first, 'SIGSTOP');
    // On a busy machine it may answer once more before it stands still.
    await untilGone(first);
    // The client asks again by itself where the connection is lost.
    const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
    await close();
    expect(namespaceInfo?.name).toBe(namespace);
    expect(processOf(server.address)).not.toBe(first);
  } finally {
    await server.stop();
  }
});

async function untilGone(pid: number): Promise<void> {
  while (existsSync(`/proc/${pid}`)) await delay(50);
}

function processOf(address: string): number {
  const [, port = ''] = address.split(':');
  // It throws where there is none.
  const found = execFileSync('pgrep', ['-f', `^[^ ]*temporal server start-dev .*--port ${port} `]);
  return Number(String(found).trim());
}
