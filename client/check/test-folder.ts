// A test run from the command line: the folder as it lies on this machine, the service's rules, and the
// ledgers of the shares that this host sees.
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { LedgerShare } from '../../activities/ledger/served-ledgers';
import { createNodeShareFs } from '../../activities/share/files/share-fs';
import type { ShareConfig } from '../../activities/share/share-config';
import { type CheckedFolder, checkFolder } from '../../activities/test-run/check-folder';
import type { FindStops } from '../../activities/test-run/foretell-job';
import type { TriedWith } from '../../activities/test-run/read-folder';
import type { Config } from '../../workers/config/config';
import { createLogger } from '../../workers/logging';
import { createHasher, createServedLedgers } from '../../workers/share-adapters';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { withLocalShares } from '../session/seen-shares';
import { sharesOf } from '../session/stand-in';
import { withService } from '../sign-in/service-session';

/** The folder that is meant, where it is one; links are followed, for a person has named it. */
export async function findFolder(path: string): Promise<string | undefined> {
  const place = await realpath(resolve(path)).catch(() => undefined);
  const kind = place === undefined ? undefined : await lstat(place);
  return kind?.isDirectory() === true ? place : undefined;
}

export async function testFolder(
  config: Config,
  share: ShareConfig,
  place: string,
  onRegister?: TriedWith['onRegister'],
): Promise<CheckedFolder> {
  const base = dirname(place);
  if (base === place) throw new CliError(`${place} is no folder that could be dropped.`, EXIT_CODES.usage);
  const folder = { fs: createNodeShareFs(), root: base, base, name: basename(place) };
  const ended = new AbortController();
  const hashing = createHasher(config);
  try {
    return await withLedgers(config, share, ended.signal, async ({ findStops, notCompared }) =>
      withService(config, async ({ lookups, limits }) => {
        const { hasher } = hashing;
        const deps = { lookups, limits, config: share, hasher, findStops, notCompared, onRegister };
        return await checkFolder(deps, folder, ended.signal);
      }),
    );
  } finally {
    ended.abort();
    await hashing.close();
  }
}

interface Known {
  readonly findStops: FindStops;
  readonly notCompared?: string;
}

/** Looks things up in the ledgers of all shares of the project that this host sees, as its workers do. */
async function withLedgers<Result>(
  config: Config,
  share: ShareConfig,
  signal: AbortSignal,
  work: (known: Known) => Promise<Result>,
): Promise<Result> {
  const { companyId, projectId } = share.project;
  const ofProject = sharesOf(config).filter(
    ({ project }) => project.companyId === companyId && project.projectId === projectId,
  );
  return await withLocalShares(config, ofProject, async ({ seen, unseen }) => {
    const own = seen.find(({ name }) => name === share.name);
    if (own === undefined) {
      const why = unseen.find(({ name }) => name === share.name)?.why ?? 'it is not seen from here';
      return await work({ findStops: async () => new Map(), notCompared: `share ${share.name}: ${why}` });
    }
    const ledgers = createServedLedgers(config, createLogger({ ...config.logging, level: 'silent' }), signal);
    try {
      for (const one of seen) ledgers.know(one satisfies LedgerShare);
      const findStops: FindStops = (manifest, files) =>
        ledgers.findStops({ share: own, manifest, files, isOpening: true });
      return await work({ findStops });
    } finally {
      await ledgers.close();
    }
  });
}
