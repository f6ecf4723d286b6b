// The real adapters of a process: the service client with its tokens and its rate
// gate, hashing threads, the storage.
import { join } from 'node:path';
import { systemClock } from '../activities/host/clock';
import { createLimit } from '../activities/host/concurrency';
import { ProjectLookups } from '../activities/ingest/project-lookups';
import { provingSender, provingStorage, type TellProof } from '../activities/scope/dependency-evidence';
import { type SeenLimit, SharedRateGate } from '../activities/service/rate/shared-rate-gate';
import { type Sender, ServiceClient, type ServiceLogger } from '../activities/service/service-client';
import { type ServiceConfig, toTarget } from '../activities/service/service-config';
import { FileTokenStore } from '../activities/service/tokens/file-token-store';
import { TokenSource } from '../activities/service/tokens/token-source';
import type { FileHasher } from '../activities/transfer/hashing/hash-file';
import { HashPool } from '../activities/transfer/hashing/hash-file';
import { ChunkBuffers } from '../activities/transfer/source/chunk-buffers';
import { UndiciStorage } from '../activities/transfer/storage/storage';
import type { TransferDeps } from '../activities/transfer/transfer-run';
import type { Config } from './config/config';
import type { Logger } from './logging';
import type { WorkMetrics } from './metrics/work-metrics';

export interface ServiceAdapters {
  readonly client: Sender;
  readonly tokens: TokenSource;
  readonly lookups: ProjectLookups;
  /** What the service has told of its limits until now. */
  readonly limits: () => readonly SeenLimit[];
  readonly gate: SharedRateGate;
  close(): Promise<void>;
}

/**
 * One for a process: all its activities share the connections and the token, and all
 * processes of the host the rate limit.
 */
export function createServiceAdapters(
  config: Config,
  service: ServiceConfig,
  logger: Logger,
  tellProof: TellProof = () => undefined,
  metrics?: WorkMetrics,
): ServiceAdapters {
  const gate = createRateGate(config, service, logger);
  const tokens = new TokenSource({ config: service, store: createTokenStore(config, service), gate, logger });
  const bare = new ServiceClient({ config: service, tokens, gate, logger: quietly(logger) });
  const proving = provingSender(bare, tellProof);
  const client = metrics?.countSender(proving) ?? proving;
  return {
    client,
    tokens,
    lookups: new ProjectLookups(client, config.limits.lookupsFresh),
    limits: () => gate.limits,
    gate,
    close: async () => {
      await bare.close();
      await tokens.close();
      await gate.close();
    },
  };
}

/** The rate limit, which all processes of the host keep together. */
export function createRateGate(config: Config, service: ServiceConfig, logger: Logger): SharedRateGate {
  return new SharedRateGate({
    folder: join(config.stateDir, 'rate'),
    account: `${toTarget(service.baseUrl).origin}\n${service.clientId}`,
    fraction: config.settings.service?.rateShare,
    logger,
  });
}

/** Where all processes of the host keep their tokens. */
export function createTokenStore({ tokens }: Config, service: ServiceConfig): FileTokenStore {
  return new FileTokenStore({
    folder: join(tokens.folder, tokens.environment),
    config: service,
    ...(tokens.key === undefined ? {} : { keys: [tokens.key] }),
  });
}

export interface FileAdapters {
  readonly hasher: FileHasher;
  readonly engine: Omit<TransferDeps, 'sessions'>;
  /** The same with connections of its own, for ordinary files that take longer than half a minute. */
  readonly asideEngine: Omit<TransferDeps, 'sessions'>;
  /** The same with connections of its own, for transfers that may take hours. */
  readonly longEngine: Omit<TransferDeps, 'sessions'>;
  close(): Promise<void>;
}

/** One for a process that sees a share. */
export function createFileAdapters(
  config: Config,
  service: ServiceConfig,
  logger: Logger,
  tellProof: TellProof = () => undefined,
  metrics?: WorkMetrics,
): FileAdapters {
  const { hashThreads, transferConnections } = config.worker;
  const pool = new HashPool(hashThreads === undefined ? {} : { threads: hashThreads });
  const openStorage = () =>
    new UndiciStorage({
      allowInsecureLoopback: service.allowInsecureLoopback,
      allowPrivate: config.settings.service?.allowPrivateStorage ?? false,
      connections: transferConnections,
      clock: systemClock,
      ...(service.caBundle === undefined ? {} : { caBundle: service.caBundle }),
    });
  const buffers = new ChunkBuffers();
  const toEngine = (storage: UndiciStorage) => ({
    storage: provingStorage(metrics?.countStorage(storage) ?? storage, tellProof),
    hashing: pool,
    buffers,
    slots: createLimit(transferConnections),
    clock: systemClock,
    limits: { connections: transferConnections },
    log: quietly(logger),
  });
  const storage = openStorage();
  const asideStorage = openStorage();
  const longStorage = openStorage();
  return {
    hasher: pool,
    engine: toEngine(storage),
    asideEngine: toEngine(asideStorage),
    longEngine: toEngine(longStorage),
    close: async () => {
      await storage.close();
      await asideStorage.close();
      await longStorage.close();
      await pool.close();
    },
  };
}

/** Single attempts are for the debug log: what is away is told once, as an incident. */
function quietly(logger: Logger): ServiceLogger {
  const debug: ServiceLogger['debug'] = (facts, message) => logger.debug(facts, message);
  return { debug, warn: debug };
}
