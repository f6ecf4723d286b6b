// Says on a share, all the time, that this Temporal is at work there.
import { setTimeout as delay } from 'node:timers/promises';
import type { OurTemporal } from './hold';
import type { ShareTemporals } from './temporals';

/** Until aborted. A share or a Temporal that does not answer is tried again; others tell of its absence. */
export async function keepBeating(
  share: { readonly temporals: ShareTemporals },
  temporal: () => Promise<OurTemporal>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await temporal()
      .then(async ours => share.temporals.beat(ours))
      .catch(() => undefined);
    await delay(share.temporals.beatMs, undefined, { signal }).catch(() => undefined);
  }
}
