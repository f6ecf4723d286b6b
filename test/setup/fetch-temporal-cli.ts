// A program: sees to it that a Temporal CLI is there, as global-setup.ts will look for it. `npm test` runs
// it from the sources, before there is a build: where the CLI has to be fetched first, that takes minutes.
import { resolveTemporalCli } from '../../workers/temporal/temporal-cli';
import { reportTo } from '../../workers/temporal/terminal-reporter';

resolveTemporalCli({ reporter: reportTo(process.stderr) }).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
