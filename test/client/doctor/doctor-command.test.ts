// `drawbridge doctor` as an operator calls it.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../../../client/main';
import { usePrinted } from '../../setup/printed';
import { testTemporal } from '../../setup/temporal';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const folder = useTemporaryFolder();
const printed = usePrinted();

afterEach(() => {
  delete process.env.TEMPORAL_ADDRESS;
});

const SERVICE = {
  baseUrl: 'https://api.example.com',
  authUrl: 'https://login.example.com',
  clientId: 'client',
};

function doctor(content: object, ...args: string[]): Promise<number> {
  const path = join(folder(), 'drawbridge.json');
  writeFileSync(path, JSON.stringify(content));
  return main(['--data-dir', folder(), '--config', path, 'doctor', ...args], 'drawbridge');
}

test('a configuration with faults is all that is looked at', async () => {
  expect(await doctor({ servce: {} })).toBe(1);
  expect(printed.text).toMatch(
    /^wrong +configuration: servce: unknown key; did you mean "service"\? Correct/m,
  );
  expect(printed.text).toMatch(/^not asked +everything else: /m);
});

test('without the secrets of the service all the rest is looked at', async () => {
  process.env.TEMPORAL_ADDRESS = testTemporal().address;
  const service = { ...SERVICE, clientSecret: { env: 'NO_SUCH_VARIABLE_HERE' } };
  expect(await doctor({ service })).toBe(1);
  expect(printed.text).toMatch(/^wrong +configuration: .*NO_SUCH_VARIABLE_HERE is not set/m);
  expect(printed.text).toMatch(/^ok +Temporal: /m);
  expect(printed.text).toMatch(/^not asked +service: not all secrets can be read/m);
});

test('where a secret cannot be read, all else that is wrong with the configuration is told as well', async () => {
  process.env.TEMPORAL_ADDRESS = testTemporal().address;
  const service = { ...SERVICE, clientSecret: { env: 'PATH' } };
  const webhooks = { secret: { env: 'NO_HOOK_HERE' }, scopes: [{ companyId: 1 }] };
  const openid = {
    issuer: 'https://id.example.com',
    clientId: 'page',
    clientSecret: { env: 'NO_PAGE_HERE' },
  };
  const page = { publicOrigin: 'https://page.example.com', access: { openid } };
  expect(await doctor({ service, webhooks, console: page })).toBe(1);
  const told = printed.text.match(/^wrong +configuration: .*$/gm)?.join('\n');
  expect(told).toMatch(/^.*NO_HOOK_HERE is not set.*\n.*NO_PAGE_HERE is not set.*\n.*no share.*$/);
  expect(printed.text).not.toContain('its secrets cannot be read');
});

test('asks Temporal, the shares and the service in one pass, and makes nothing', async () => {
  process.env.TEMPORAL_ADDRESS = testTemporal().address;
  mkdirSync(join(folder(), 'new'));
  const share = (name: string) => ({
    name,
    folder: join(folder(), name),
    project: { companyId: '1', projectId: '7001' },
  });
  expect(await doctor({ shares: [share('new'), share('away')] }, '--json')).toBe(1);
  const { verdict, findings } = JSON.parse(printed.text);
  expect(verdict).toBe('wrong');
  const found = new Map(
    findings.map((each: { check: string; verdict: string }) => [each.check, each.verdict]),
  );
  expect(Object.fromEntries(found)).toMatchObject({
    Node: 'ok',
    configuration: 'ok',
    'state folder': 'look',
    'key of the shares': 'look',
    Temporal: 'ok',
    'clock of Temporal': 'ok',
    workers: 'wrong',
    'share new': 'look',
    'share away': 'wrong',
    'share away, workers': 'wrong',
    service: 'look',
  });
  expect(readdirSync(folder()).sort()).toEqual(['drawbridge.json', 'new']);
});
