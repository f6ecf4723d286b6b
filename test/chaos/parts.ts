// All parts of the suite, in the order in which they run.
import { bugs } from './bugs';
import type { ChaosPart } from './part';

export const PARTS: readonly ChaosPart[] = [bugs];
