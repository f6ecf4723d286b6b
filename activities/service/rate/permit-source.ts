// Where a process gets its permits: at its own gate, or from the leader of the host.

import type { AcquireInput, Permit } from './rate-gate';
import type { RateResponse } from './rate-state';

export interface PermitSource {
  /** Throws what RateGate.acquire throws, or LeaderLostError: then another source must be asked. */
  acquire(input: AcquireInput): Promise<Permit>;
  /** Takes a response in, as RateGate.observe does; `atMs` of the host's clock is when it came. */
  take(permit: Permit, response: RateResponse | null, atMs: number): number | undefined;
  release(permit: Permit): void;
  /** Those who wait are turned away with LeaderLostError. */
  close(): void;
}

/** This source gives no permits any more, and the one that was asked for was not given. */
export class LeaderLostError extends Error {
  readonly code = 'RATE_LEADER_LOST';

  constructor() {
    super('the leader of the rate limit is gone');
    this.name = 'LeaderLostError';
  }
}
