// What a process needs of its own to look at shares: their ledgers and hashing threads. It knows no
// service, so that commands which ask none load nothing of it.
import { join } from 'node:path';
import { LedgerIndex } from '../activities/ledger/ledger-index';
import { SeenBatches } from '../activities/ledger/seen-batches';
import { ServedLedgers } from '../activities/ledger/served-ledgers';
import type { ShareLogger } from '../activities/share/share';
import type { FileHasher } from '../activities/transfer/hashing/hash-file';
import { HashPool } from '../activities/transfer/hashing/hash-file';
import type { Config } from './config/config';
import type { Logger } from './logging';

/** The index of one share's ledger; all processes of the host share it. */
export function createLedgerIndex(
  config: Config,
  logger: Pick<ShareLogger, 'info' | 'warn'>,
  share: string,
): LedgerIndex {
  return new LedgerIndex({
    folder: ledgerFolder(config, share),
    otherShares: config.shares.flatMap(({ name }) => (name === share ? [] : [name])),
    onBad: (_, record, why) =>
      logger.warn({ event: 'ledger-record', share, record, why }, 'A record of the ledger is not believed'),
    onWait: (owner, lock) =>
      logger.info(
        { event: 'ledger-locked', share, lock, owner },
        'The index of a ledger is locked by another process',
      ),
  });
}

function ledgerFolder({ stateDir }: Config, share: string): string {
  return join(stateDir, 'ledger', share);
}

/** The ledgers of all shares that a process serves; one for each process. */
export function createServedLedgers(config: Config, logger: Logger, draining: AbortSignal): ServedLedgers {
  return new ServedLedgers({
    openIndex: share => createLedgerIndex(config, logger, share),
    openSeen: share => SeenBatches.read(ledgerFolder(config, share)),
    logger,
    draining,
  });
}

/** For processes that only claim: hashing without sending. */
export function createHasher(config: Config): { readonly hasher: FileHasher; close(): Promise<void> } {
  const { hashThreads } = config.worker;
  const pool = new HashPool(hashThreads === undefined ? {} : { threads: hashThreads });
  return { hasher: pool, close: async () => await pool.close() };
}
