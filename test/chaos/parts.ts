// All parts of the suite, in the order in which they run.
import { badInput } from './bad-input';
import { bugs } from './bugs';
import type { ChaosPart } from './part';
import { randomFaults } from './random-faults';
import { rateLimits } from './rate-limits';
import { shareTroubles } from './share-troubles';

export const PARTS: readonly ChaosPart[] = [badInput, randomFaults, rateLimits, shareTroubles, bugs];
