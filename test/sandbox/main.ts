/** `npm run sandbox`: the stand-in service as a process of its own. */
import { Command, InvalidArgumentError } from 'commander';
import { DEFAULT_COMPANY_ID, DEFAULT_CREDENTIALS, DEFAULT_PORTS, DEFAULT_PROJECTS } from './defaults';
import { type Sandbox, type SandboxOptions, startSandbox } from './server';

interface Flags {
  host: string;
  apiPort: number;
  authPort: number;
  storagePort: number;
  controlPort: number;
  dataDir?: string;
  keepBytes?: true;
  timeScale: number;
  seed: number;
  limits: boolean;
  bulkRead: boolean;
  quiet?: true;
}

async function main(): Promise<void> {
  const flags = parseFlags();
  const sandbox = await startSandbox(optionsOf(flags));
  // Before anything is said: whoever hears "ready" may end us.
  const ended = endOfLife();
  if (flags.quiet !== true) process.stdout.write(describe(sandbox));
  const { apiUrl, authUrl, storageUrl, controlUrl } = sandbox;
  process.send?.({ kind: 'ready', urls: { apiUrl, authUrl, storageUrl, controlUrl } });
  await ended;
  await sandbox.close();
  if (process.connected) process.disconnect();
}

function parseFlags(): Flags {
  const port = (text: string) => whole(text, 65_535);
  return new Command('sandbox')
    .description('The stand-in service. Port 0 takes a free one.')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--api-port <port>', 'API', port, DEFAULT_PORTS.api)
    .option('--auth-port <port>', 'authentication', port, DEFAULT_PORTS.auth)
    .option('--storage-port <port>', 'storage', port, DEFAULT_PORTS.storage)
    .option('--control-port <port>', 'control', port, DEFAULT_PORTS.control)
    .option('--data-dir <folder>', 'keep state here, over restarts')
    .option('--keep-bytes', 'keep uploaded bytes in the data folder')
    .option('--time-scale <factor>', 'let the service run so many times faster', positive, 1)
    .option('--seed <number>', 'seed of everything random', (text: string) => whole(text, 2 ** 31), 1)
    .option('--no-limits', 'no rate limits')
    .option('--no-bulk-read', 'without the bulk read of uploads')
    .option('--quiet', 'print nothing')
    .parse()
    .opts<Flags>();
}

function optionsOf(flags: Flags): SandboxOptions {
  return {
    host: flags.host,
    ports: {
      api: flags.apiPort,
      auth: flags.authPort,
      storage: flags.storagePort,
      control: flags.controlPort,
    },
    ...(flags.dataDir === undefined ? {} : { dataDir: flags.dataDir }),
    keepBytes: flags.keepBytes ?? false,
    settings: {
      timeScale: flags.timeScale,
      seed: flags.seed,
      bulkRead: flags.bulkRead,
      ...(flags.limits ? {} : { limits: null }),
    },
  };
}

/** Resolves when a signal or the parent's end asks us to go. */
function endOfLife(): Promise<void> {
  return new Promise(resolve => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
    if (process.connected) process.once('disconnect', resolve);
  });
}

function describe({ apiUrl, authUrl, storageUrl, controlUrl }: Sandbox): string {
  const rows = [
    ['API', apiUrl],
    ['Authentication', authUrl],
    ['Storage', storageUrl],
    ['Control', controlUrl],
    ['Client id', DEFAULT_CREDENTIALS.clientId],
    ['Client secret', DEFAULT_CREDENTIALS.clientSecret],
    ['Company', DEFAULT_COMPANY_ID],
    [
      'Projects',
      Object.entries(DEFAULT_PROJECTS)
        .map(([name, id]) => `${id} (${name})`)
        .join(', '),
    ],
  ];
  const lines = rows.map(([name = '', value = '']) => `  ${name.padEnd(15)} ${value}\n`);
  return `Stand-in service\n${lines.join('')}`;
}

function whole(text: string, maximum: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > maximum)
    throw new InvalidArgumentError(`a whole number up to ${maximum}`);
  return value;
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value)) throw new InvalidArgumentError('a number above 0');
  return value;
}

main().catch((error: unknown) => {
  const { code, message, port } = error as { code?: string; message?: string; port?: number };
  const reason =
    code === 'EADDRINUSE' ? `port ${port} is taken; choose another or stop what listens there` : message;
  process.stderr.write(`The stand-in service cannot start: ${reason}\n`);
  process.exitCode = 1;
});
