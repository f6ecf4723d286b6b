// The part `sheet-kills`: the watcher is killed while it takes up what people have corrected in a sheet, and
// started again; a worker runs all the time.
import { runKills } from './kill-cases';
import { CORRECTED_SHEETS } from './kill-plays';
import { planWatcherKills } from './kill-watcher';
import type { ChaosPart } from './part';

const COUNTS = { singles: 8, pairs: 20 };
/** What is there for the sake of a corrected sheet alone. */
const OF_SHEETS = /\/(corrections|held|sheet-)|to-correct|^unlink attention\/Package A/;

export const sheetKills: ChaosPart = {
  name: 'sheet-kills',
  about: 'SIGKILL of the watcher while it takes up corrected sheets',
  run: async options =>
    await runKills(
      {
        part: 'sheet-kills',
        killed: 'watch',
        play: CORRECTED_SHEETS,
        planOf: boundaries =>
          planWatcherKills(
            boundaries.filter(boundary => OF_SHEETS.test(boundary)),
            options,
            COUNTS,
          ),
      },
      options,
    ),
};
