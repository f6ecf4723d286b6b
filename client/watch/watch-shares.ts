// Watches all configured shares of a process, each by itself: one that is not there yet holds no other back.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { openShare } from '../../activities/share/open-share';
import type { Share } from '../../activities/share/share';
import type { ShareConfig } from '../../activities/share/share-config';
import type { Config } from '../../workers/config/config';
import type { Logger } from '../../workers/logging';
import { createHasher } from '../../workers/share-adapters';
import { readShareKey } from '../../workers/share-key';
import { createTemporalIdentity } from '../../workers/temporal/temporal-identity';
import { createHeldBatches } from '../answers/held-batches';
import { createTemplateLook, keepTemplate } from '../chores/keep-template';
import { createTestStarter, watchTests } from '../chores/watch-tests';
import { BatchStarter } from '../session/start-batch';
import { waitingIn } from '../status/waiting-in';
import { watchShare } from './watcher';

const LOOK_AGAIN_MS = 10_000;

export interface WatchSharesInput {
  readonly config: Config;
  readonly shares: readonly ShareConfig[];
  readonly client: Client;
  /** host:port of its server, for people. */
  readonly address: string;
  readonly hasSearchAttributes: boolean;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Told of each share when it is watched. */
  readonly onShare?: ((share: Share) => void) | undefined;
}

/** Runs until aborted; what was in hand is finished or safely left on the share then. */
export async function watchShares(input: WatchSharesInput): Promise<void> {
  const hashing = createHasher(input.config);
  const starter = new BatchStarter(input.client, { hasSearchAttributes: input.hasSearchAttributes });
  const { client, address, config } = input;
  const heldBatches = createHeldBatches(client);
  const temporal = createTemporalIdentity({
    connection: client,
    namespace: client.options.namespace,
    address,
    stateDir: config.stateDir,
    logger: input.logger,
  });
  try {
    await Promise.all(
      input.shares.map(async settings => {
        const share = await openWhenThere(settings, input, hashing.hasher);
        if (share === undefined) return;
        const { logger, signal } = input;
        input.onShare?.(share);
        const waitsFor = waitingIn(client, settings);
        await Promise.all([
          watchShare({ share, starter, temporal, heldBatches, waitsFor, logger, signal }),
          watchTests({ share, start: createTestStarter(client), logger, signal }),
          keepTemplate({ share, look: createTemplateLook(client), signal }),
        ]);
      }),
    );
  } finally {
    await hashing.close();
  }
}

async function openWhenThere(
  config: ShareConfig,
  { config: all, logger, signal }: WatchSharesInput,
  hasher: Parameters<typeof openShare>[1]['hasher'],
): Promise<Share | undefined> {
  for (let said = ''; !signal.aborted; ) {
    try {
      return await openShare(config, { hasher, logger, key: await readShareKey(all) });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (why !== said) {
        logger.error({ event: 'share-unusable', share: config.name, error }, 'A share cannot be used yet');
      }
      said = why;
      await delay(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}
