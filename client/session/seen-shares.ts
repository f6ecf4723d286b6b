// Opens the shares that this host sees, without making anything on them: a folder under a mount that
// is away must not become a share.
import { join } from 'node:path';
import type { OurTemporal } from '../../activities/share/batch/hold';
import { probeShare } from '../../activities/share/files/reachability';
import { openShare } from '../../activities/share/open-share';
import type { Share, ShareDeps, ShareLogger } from '../../activities/share/share';
import { OWN_FOLDER, type ShareConfig } from '../../activities/share/share-config';
import type { Config } from '../../workers/config/config';
import { createHasher } from '../../workers/share-adapters';
import { readShareKey } from '../../workers/share-key';
import { createTemporalIdentity } from '../../workers/temporal/temporal-identity';
import type { TemporalSession } from './session';
import { sharesOf } from './stand-in';

/** For commands whose own report says everything. No library for logs is loaded for it. */
export const SILENT: ShareLogger = { info: () => undefined, warn: () => undefined };

export interface SeenShares {
  readonly seen: readonly Share[];
  /** One line for each share that this host does not see, or cannot use. */
  readonly unseen: readonly { readonly name: string; readonly why: string }[];
}

/** Opens the configured shares for `work`, whose report says what they would say in a log. */
export async function withSeenShares<Result>(
  config: Config,
  { connection, target }: TemporalSession,
  work: (found: SeenShares & { readonly ours: OurTemporal }) => Promise<Result>,
): Promise<Result> {
  const ours = await createTemporalIdentity({ connection, ...target, stateDir: config.stateDir })();
  return await withLocalShares(config, sharesOf(config), async found => await work({ ...found, ours }));
}

/** The same for these of the configured shares, and without Temporal. */
export async function withLocalShares<Result>(
  config: Config,
  configs: readonly ShareConfig[],
  work: (found: SeenShares) => Promise<Result>,
): Promise<Result> {
  const hashing = createHasher(config);
  try {
    const key = await readShareKey(config);
    return await work(await openSeenShares(configs, { hasher: hashing.hasher, logger: SILENT, key }));
  } finally {
    await hashing.close();
  }
}

async function openSeenShares(configs: readonly ShareConfig[], deps: ShareDeps): Promise<SeenShares> {
  const seen: Share[] = [];
  const unseen: { name: string; why: string }[] = [];
  for (const config of configs) {
    const why = await findObstacle(config);
    if (why !== undefined) {
      unseen.push({ name: config.name, why });
      continue;
    }
    try {
      seen.push(await openShare({ ...config, createFolder: false }, deps));
    } catch (error) {
      unseen.push({ name: config.name, why: error instanceof Error ? error.message : String(error) });
    }
  }
  return { seen, unseen };
}

async function findObstacle(config: ShareConfig): Promise<string | undefined> {
  const found = await probeShare(join(config.folder, OWN_FOLDER));
  switch (found.kind) {
    case 'reachable':
      return undefined;
    case 'missing':
      return 'it is not mounted here, or was never used';
    case 'hung':
      return 'it does not answer (a mount that hangs)';
    case 'failing':
      return `it cannot be read (${found.code})`;
  }
}
