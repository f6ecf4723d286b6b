// Long-running commands that are told to end while Temporal is away.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { main } from '../../../../client/main';
import { DEFAULT_CREDENTIALS } from '../../../sandbox/defaults';
import { usePrinted } from '../../../setup/printed';
import { useTemporaryFolder } from '../../../setup/temporary-folder';

const printed = usePrinted();
const folder = useTemporaryFolder();
const project = { companyId: '5001', projectId: '7001' };
const ENVIRONMENT = {
  TEMPORAL_ADDRESS: '127.0.0.1:1',
  DRAWBRIDGE_CLIENT_SECRET: DEFAULT_CREDENTIALS.clientSecret,
  WEBHOOK_SECRET: 'Bearer canary-secret-of-webhooks',
};

beforeEach(() => Object.assign(process.env, ENVIRONMENT));
afterEach(() => {
  for (const name of Object.keys(ENVIRONMENT)) delete process.env[name];
});

test.each(['worker', 'watch', 'webhooks receive'])('%s ends in order', async command => {
  const log = join(folder(), 'log');
  const config = {
    service: {
      environment: 'sandbox',
      baseUrl: 'http://127.0.0.1:1',
      authUrl: 'http://127.0.0.1:1',
      clientId: DEFAULT_CREDENTIALS.clientId,
      allowInsecureLoopback: true,
    },
    stateDir: './state',
    logging: { file: log },
    webhooks: { secret: { env: 'WEBHOOK_SECRET' }, scopes: [{ companyId: '5001' }] },
    shares: [{ name: 'tender', folder: './share', project }],
  };
  writeFileSync(join(folder(), 'drawbridge.json'), JSON.stringify(config));
  const running = main(['--config', join(folder(), 'drawbridge.json'), ...command.split(' ')], 'drawbridge');
  // Told only when it waits: before, nothing listens for the signal yet.
  await untilLogged(log, 'temporal-away');
  process.emit('SIGTERM', 'SIGTERM');
  expect([await running, printed.text]).toEqual([0, '']);
});

async function untilLogged(file: string, event: string): Promise<void> {
  while (!existsSync(file) || !readFileSync(file, 'utf8').includes(event)) await delay(20);
}

test('a worker that is to do neither the one nor the other does not start', async () => {
  expect(await main(['worker', '--no-shares', '--no-workflows'], 'drawbridge')).toBe(2);
  expect(printed.text).toMatch(/leave one of them out/i);
});
