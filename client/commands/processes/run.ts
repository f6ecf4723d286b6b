// `drawbridge run`: everything in this terminal.
import { Option } from 'commander';

import { reportTo } from '../../../workers/temporal/terminal-reporter';
import { runAll } from '../../run/run-all';
import type { RunAllInput, StartPage } from '../../run/run-input';
import { type AddCommand, firstOfFourPorts, positiveNumber } from '../../session/command';
import { loadCommandConfig } from '../../session/command-config';
import { listenForEnding, untilEnded } from '../../session/ending';
import { createPaint } from '../../session/terminal-text';

const DEFAULT_SPEED = 10;

export const createRunCommand =
  (startPage: StartPage): AddCommand =>
  (declared, globals, command) => {
    declared
      .addOption(
        new Option('--stand-in-speed <factor>', 'how many times faster the time of the stand-in service runs')
          .argParser(positiveNumber)
          .default(DEFAULT_SPEED),
      )
      .addOption(
        new Option(
          '--stand-in-port <port>',
          'first of four ports in a row for the stand-in service',
        ).argParser(firstOfFourPorts),
      )
      .action(async (options: { standInSpeed: number; standInPort?: number }) => {
        const config = loadCommandConfig(globals(), 'read');
        const reporter = reportTo(process.stdout);
        const ending = listenForEnding(() =>
          reporter.say('\nEnding at once. Nothing is lost; start again to go on.'),
        );
        const input: RunAllInput = {
          config,
          ending: ending.signal,
          reporter,
          paint: createPaint(process.stdout),
          standIn: { speed: options.standInSpeed, firstPort: options.standInPort },
          command,
          startPage,
        };
        await untilEnded(ending, async () => await runAll(input));
      });
  };
