// `drawbridge console`: the page as a role of its own. It needs the shares and Temporal, no secret of the
// service.
import { createLogger } from '../../workers/logging';
import { type AddCommand, print } from '../commands/command';
import { firstAbort, listenForEnding } from '../run/ending';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { type GlobalOptions, loadCommandConfig, temporalTargetOf } from '../session/session';
import { sharesOf } from '../session/stand-in';
import { startConsole } from './console';
import { createPatientClient } from './patient-client';

export const addConsoleCommand: AddCommand = (program, globals) => {
  program
    .command('console')
    .description('serve the page: what is on its way, what waits, what went wrong')
    .action(async () => {
      await runConsole(globals());
    });
};

async function runConsole(globals: GlobalOptions): Promise<void> {
  const config = loadCommandConfig(globals, 'leave');
  if (config.settings.service !== undefined && config.shares.length === 0)
    throw new CliError('No share is configured: "shares" needs at least one.', EXIT_CODES.usage);
  const logger = createLogger(config.logging);
  const ending = listenForEnding();
  const temporal = createPatientClient(temporalTargetOf(config));
  try {
    const page = await startConsole({ config, shares: sharesOf(config), temporal: temporal.client, logger });
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
