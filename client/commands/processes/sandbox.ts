// `drawbridge sandbox`: the stand-in service by itself, until it is ended.
import { dirname, join } from 'node:path';
import { CliError } from '../../session/cli-error';
import { type AddCommand, firstOfFourPorts, positiveNumber, print } from '../../session/command';
import { loadCommandConfig } from '../../session/command-config';
import { firstAbort, listenForEnding } from '../../session/ending';
import { startStandIn } from '../../session/stand-in';
import { toTable } from '../../session/terminal-text';

export const addSandboxCommand: AddCommand = (declared, globals) => {
  declared
    .option('--speed <factor>', 'how many times faster its time runs', positiveNumber, 1)
    .option('--port <port>', 'first of four ports in a row', firstOfFourPorts)
    .action(async (options: { speed: number; port?: number }) => {
      const { stateDir } = loadCommandConfig(globals(), 'leave');
      const ending = listenForEnding();
      const logFile = join(stateDir, 'stand-in.log');
      const standIn = await startStandIn({
        dataFolder: join(stateDir, 'stand-in'),
        logFile,
        speed: options.speed,
        firstPort: options.port,
        portOption: '--port',
      });
      const { apiUrl, authUrl, storageUrl, controlUrl } = standIn.urls;
      print(
        toTable([
          ['API', apiUrl],
          ['Authentication', authUrl],
          ['Storage', storageUrl],
          ['Control', controlUrl],
          ['Data', dirname(logFile)],
        ]),
      );
      await Promise.race([
        standIn.exited.then(() => {
          if (!ending.signal.aborted)
            throw new CliError(`The stand-in service has ended by itself. See ${logFile}`);
        }),
        firstAbort(ending.signal),
      ]);
      await standIn.stop();
      ending.dispose();
    });
};
