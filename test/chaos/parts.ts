// All parts of the suite, in the order in which they run. First what waits long: at the end it would wait
// alone.
import { badInput } from './bad-input';
import { bugs } from './bugs';
import { doors } from './doors';
import { endedRuns } from './ended-runs';
import { fairness } from './fairness';
import { serverKills } from './kill-server';
import { sheetKills } from './kill-sheets';
import { watcherKills } from './kill-watcher';
import { workerKills } from './kill-worker';
import { longWaits } from './long-waits';
import { neighbours } from './neighbours';
import { outages } from './outages';
import type { ChaosPart } from './part';
import { randomFaults } from './random-faults';
import { rateLimits } from './rate-limits';
import { secrets } from './secrets';
import { shareTroubles } from './share-troubles';
import { tokens } from './tokens';
import { twoTemporals } from './two-temporals';

export const PARTS: readonly ChaosPart[] = [
  bugs,
  badInput,
  tokens,
  secrets,
  doors,
  randomFaults,
  outages,
  longWaits,
  rateLimits,
  shareTroubles,
  neighbours,
  fairness,
  workerKills,
  watcherKills,
  sheetKills,
  serverKills,
  endedRuns,
  twoTemporals,
];
