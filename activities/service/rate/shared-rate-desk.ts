// Where a process gets its permits: at its own gate, or from the keeper of the host.

import type { AcquireInput, Permit } from './rate-gate';
import type { RateAnswer } from './rate-state';

export interface RateDesk {
  /** Throws what RateGate.acquire throws, or DeskLostError: then another desk must be asked. */
  acquire(input: AcquireInput): Promise<Permit>;
  /** Takes an answer in, as RateGate.observe does; `atMs` of the host's clock is when it came. */
  take(permit: Permit, answer: RateAnswer | null, atMs: number): number | undefined;
  release(permit: Permit): void;
  /** Those who wait are turned away with DeskLostError. */
  close(): void;
}

/** Nobody serves at this desk any more; whatever was asked there was not given. */
export class DeskLostError extends Error {
  readonly code = 'RATE_DESK_LOST';

  constructor() {
    super('the keeper of the rate limit is gone');
    this.name = 'DeskLostError';
  }
}
