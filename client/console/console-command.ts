// `drawbridge console`: the page as a role of its own. It needs the shares and Temporal, no secret of the
// service.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Option } from 'commander';
import type { Config } from '../../workers/config/config';
import { createLogger } from '../../workers/logging';
import { findTemporalTarget } from '../../workers/temporal/temporal-connection';
import { chooseShare } from '../session/choose-project';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { type AddCommand, print } from '../session/command';
import { type GlobalOptions, loadCommandConfig } from '../session/command-config';
import { firstAbort, listenForEnding } from '../session/ending';
import { temporalTargetOf } from '../session/session';
import { sharesOf } from '../session/stand-in';
import { putUser } from './access/users-file';
import { startConsole } from './console';
import { createPatientClient } from './patient-client';

export const addConsoleCommand: AddCommand = (group, globals) => {
  group.action(async () => {
    await runConsole(globals());
  });
  group
    .command('add-user <name>')
    .description('let somebody sign in on the page, or give them another password, role or shares')
    .addOption(new Option('--role <role>', 'what they may do (default: see, or as it is)').choices(ROLES))
    .option('--share <name...>', 'with which shares (default: all, or as it is)')
    .action(async (name: string, options: { role?: (typeof ROLES)[number]; share?: string[] }) => {
      const config = loadCommandConfig(globals(), 'leave');
      const { usersFile: file, access } = config.console;
      const { role, share: shares } = options;
      for (const share of shares ?? []) if (share !== '*') chooseShare(sharesOf(config), share);
      const password = await readPassword();
      const user = await putUser(file, { name, role, shares }, password);
      const missing = access.users === undefined ? ' once console.access has "users": {}' : '';
      const where = user.shares.includes('*') ? 'all shares' : user.shares.join(', ');
      print(`${name} may sign in${missing}, with the role "${user.role}" on ${where}. Kept in ${file}.`);
    });
};

const ROLES = ['see', 'answer', 'operate'] as const;

/** Read from standard input: every user of the machine could see an argument. Typed, it is not shown. */
async function readPassword(): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).replace(/\r?\n$/, '');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  process.stderr.write('Password: ');
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}

async function runConsole(globals: GlobalOptions): Promise<void> {
  const config = loadCommandConfig(globals, 'leave');
  if (config.settings.service !== undefined && config.shares.length === 0)
    throw new CliError('No share is configured: "shares" needs at least one.', EXIT_CODES.usage);
  const logger = createLogger(config.logging);
  const ending = listenForEnding();
  const temporal = createPatientClient(temporalTargetOf(config));
  try {
    const page = await startConsole({
      config: withTemporalUi(config),
      shares: sharesOf(config),
      temporal: temporal.client,
      logger,
    });
    logger.info({ event: 'console-served-at', address: page.address }, 'The page is served');
    if (process.stdout.isTTY) print(`The page: ${page.address}`);
    await firstAbort(ending.signal);
    await page.close();
    logger.info({ event: 'console-ended' }, 'The page is no longer served');
  } finally {
    await temporal.close();
    ending.dispose();
  }
}

/** Where no Temporal is configured, the one that `run` starts is meant: its UI is on this machine. */
function withTemporalUi(config: Config): Config {
  const isEmbedded = findTemporalTarget(config.temporal) === undefined;
  if (config.console.temporalUi !== undefined || !isEmbedded) return config;
  const temporalUi = `http://127.0.0.1:${config.temporal.embedded.uiPort}`;
  return { ...config, console: { ...config.console, temporalUi } };
}
