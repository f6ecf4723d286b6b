// `drawbridge config`: check it, and see what takes effect. Secrets are references in
// it, so there is nothing to mask.

import { findTemporalTarget } from '../../workers/temporal/temporal-connection';
import { type AddCommand, print } from '../session/command';
import { loadCommandConfig, requireShare } from '../session/command-config';

export const addConfigCommand: AddCommand = (config, globals) => {
  config
    .command('validate')
    .description('report everything that is wrong with it, secrets that cannot be read included')
    .action(() => {
      const loaded = loadCommandConfig(globals(), 'all');
      requireShare(loaded);
      findTemporalTarget(loaded.temporal);
      const { source, shares, service } = loaded;
      const about = service === undefined ? 'the stand-in service' : service.baseUrl;
      print(`${source} is valid: ${about}, ${shares.length} ${shares.length === 1 ? 'share' : 'shares'}.`);
    });
  config
    .command('print')
    .description('print it with all defaults and overrides; durations in milliseconds, sizes in bytes')
    .action(() => {
      const { settings, overridden } = loadCommandConfig(globals(), 'leave');
      print(JSON.stringify(settings, undefined, 2));
      for (const [variable, path] of Object.entries(overridden)) {
        process.stderr.write(`${path} comes from ${variable}\n`);
      }
    });
};
