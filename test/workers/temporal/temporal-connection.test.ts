// Which Temporal server is used: environment first, then our own config, then temporal.toml, else none.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { settingsSchema } from '../../../workers/config/config-schema';
import { connectClient, findTemporalTarget } from '../../../workers/temporal/temporal-connection';
import { findFreePorts } from '../../setup/free-port';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const folder = useTemporaryFolder();

function temporalSettings(temporal: object) {
  return settingsSchema.parse({ temporal }).temporal;
}

function profileFile(): string {
  const path = join(folder(), 'temporal.toml');
  writeFileSync(
    path,
    '[profile.default]\naddress = "file:7233"\nnamespace = "from-file"\n[profile.cloud]\naddress = "cloud:7233"\napi_key = "key-canary"\n',
  );
  return path;
}

describe('the Temporal server', () => {
  test.each<[string, object, Record<string, string>, string | undefined, string | undefined]>([
    ['is nobody without any word', {}, {}, undefined, undefined],
    [
      'is TEMPORAL_ADDRESS above all',
      { address: 'config:1' },
      { TEMPORAL_ADDRESS: 'env:1' },
      'env:1',
      'default',
    ],
    ['is not an empty TEMPORAL_ADDRESS', {}, { TEMPORAL_ADDRESS: '' }, undefined, undefined],
    ['is our config before temporal.toml', { address: 'config:1', file: true }, {}, 'config:1', 'from-file'],
    ['is that of temporal.toml', { file: true }, {}, 'file:7233', 'from-file'],
    ['is that of a profile by name', { file: true, profile: 'cloud' }, {}, 'cloud:7233', 'default'],
    [
      'has the namespace of the environment',
      { address: 'a:1', namespace: 'n' },
      { TEMPORAL_NAMESPACE: 'e' },
      'a:1',
      'e',
    ],
    ['has the namespace of our config', { address: 'a:1', namespace: 'n', file: true }, {}, 'a:1', 'n'],
  ])('%s', (_name, { file, ...settings }: { file?: boolean }, environment, address, namespace) => {
    const temporal = temporalSettings({
      ...settings,
      ...(file === true ? { configFile: profileFile() } : {}),
    });
    const target = findTemporalTarget(temporal, { HOME: folder(), ...environment });
    expect(target?.address).toBe(address);
    expect(target?.namespace).toBe(namespace);
  });

  test('with an API key is reached by TLS', () => {
    const temporal = temporalSettings({ configFile: profileFile(), profile: 'cloud' });
    expect(findTemporalTarget(temporal, { HOME: folder() })?.connectionOptions).toMatchObject({
      apiKey: 'key-canary',
      tls: true,
    });
  });

  test('of a profile that does not exist is a fault of the configuration', () => {
    const temporal = temporalSettings({ configFile: profileFile(), profile: 'nope' });
    expect(() => findTemporalTarget(temporal, { HOME: folder() })).toThrow(/temporal\.toml.*nope/s);
  });

  test('that does not answer is tried again until somebody calls it off', async () => {
    const [port = 0] = await findFreePorts(1);
    const target = {
      address: `127.0.0.1:${port}`,
      namespace: 'default',
      connectionOptions: { address: `127.0.0.1:${port}` },
    };
    const calledOff = new AbortController();
    const said: string[] = [];
    const connecting = connectClient({
      target,
      keepTrying: {
        signal: calledOff.signal,
        onWaiting: why => {
          said.push(why);
          calledOff.abort();
        },
      },
    });
    await expect(connecting).rejects.toMatchObject({ name: 'AbortError' });
    expect(said).toEqual([expect.stringContaining(`127.0.0.1:${port} cannot be reached`)]);
  });
});
