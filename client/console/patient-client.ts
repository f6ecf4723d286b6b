// A client of Temporal that is connected when it is first needed, and tried again when that did not work.
import type { Client } from '@temporalio/client';
import { systemClock } from '../../activities/host/clock';
import { connectClient, type TemporalTarget } from '../../workers/temporal/temporal-connection';
import { type TemporalSession, toSession } from '../session/session';

/** Whoever asks within this time after a failure gets the same failure: pages ask often. */
const AGAIN_AFTER_MS = 3_000;

export function createPatientClient(
  target: TemporalTarget,
  connect: () => Promise<TemporalSession> = async () => toSession(await connectClient({ target }), target),
): { readonly client: () => Promise<Client>; close(): Promise<void> } {
  let opening: Promise<TemporalSession> | undefined;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  return {
    client: async () => {
      const isOld = systemClock.monotonicMs() - failedAtMs >= AGAIN_AFTER_MS;
      if (opening === undefined || (Number.isFinite(failedAtMs) && isOld)) {
        failedAtMs = Number.NEGATIVE_INFINITY;
        opening = connect();
        opening.catch(() => {
          failedAtMs = systemClock.monotonicMs();
        });
      }
      return (await opening).client;
    },
    close: async () => {
      const session = await opening?.catch(() => undefined);
      await session?.close();
    },
  };
}
