// A share as this host sees it: nothing is made on it, and what is written to try it out is gone again.
import { join } from 'node:path';
import { systemClock } from '../../activities/host/clock';
import type { OurTemporal, TemporalName } from '../../activities/share/batch/hold';
import { probeShare, type Reachability } from '../../activities/share/files/reachability';
import type { ShareFault } from '../../activities/share/files/share-error';
import { createNodeShareFs } from '../../activities/share/files/share-fs';
import type { ShareTraits } from '../../activities/share/files/share-traits';
import { openShare } from '../../activities/share/open-share';
import { readKeyId } from '../../activities/share/resolve-layout';
import type { Share } from '../../activities/share/share';
import { OWN_FOLDER, SHARE_DEFAULTS, type ShareConfig } from '../../activities/share/share-config';
import type { Config } from '../../workers/config/config';
import { createLogger } from '../../workers/logging';
import { createHasher } from '../../workers/share-adapters';
import { inspectIntake, type ShareIntake } from '../status/share-intake';
import { type Asked, ask, toWhy } from './finding';

const ASK_MS = 15_000;

export interface WatchFacts {
  readonly temporal: TemporalName;
  /** Undefined where nobody can say which Temporal is ours. */
  readonly isOurs: boolean | undefined;
  /** How long ago it said last that it is at work here; undefined when it never did. */
  readonly silentMs: number | undefined;
  /** How often it is to say so, and how long it must be silent until a watcher here follows it. */
  readonly beatMs: number;
  readonly takeOverMs: number;
}

export interface ShareFacts {
  readonly name: string;
  readonly folder: string;
  /** The share's folder, and ours in it, which is not looked at where the first cannot be reached. */
  readonly root: Reachability;
  readonly own?: Reachability;
  /** What the share says of its key, where this host has none. */
  readonly keyId?: string | undefined;
  readonly opened?: Asked<OpenedFacts>;
  readonly faults?: readonly ShareFault[];
}

export interface OpenedFacts {
  readonly traits: Asked<ShareTraits>;
  readonly freeBytes: Asked<number>;
  readonly minFreeBytes: number;
  readonly watch: Asked<WatchFacts | undefined>;
  /** Undefined where nobody can say which Temporal is ours. */
  readonly intake: ShareIntake | undefined;
}

export interface LookAtShareInput {
  readonly config: Config;
  readonly share: ShareConfig;
  readonly key: Buffer | undefined;
  /** Undefined while Temporal does not answer. */
  readonly ours: OurTemporal | undefined;
  /** In a process of its own by default: a mount that hangs must not keep ours. */
  readonly probe?: (folder: string) => Promise<Reachability>;
}

export async function lookAtShare(input: LookAtShareInput): Promise<ShareFacts> {
  const { share, key, probe = probeShare } = input;
  const { name, folder } = share;
  const root = await probe(folder);
  if (root.kind !== 'reachable') return { name, folder, root };
  const ownFolder = join(folder, OWN_FOLDER);
  const own = await probe(ownFolder);
  if (own.kind !== 'reachable') return { name, folder, root, own };
  if (key === undefined) {
    const said = await ask(async () => await readKeyId(ownFolder, createNodeShareFs()), ASK_MS);
    return { name, folder, root, own, ...('value' in said ? { keyId: said.value } : {}) };
  }
  const opened = await ask(async () => await look({ ...input, key }), ASK_MS);
  if ('value' in opened && 'faults' in opened.value)
    return { name, folder, root, own, faults: opened.value.faults };
  return { name, folder, root, own, opened: opened as Asked<OpenedFacts> };
}

async function look(
  input: LookAtShareInput & { readonly key: Buffer },
): Promise<OpenedFacts | { readonly faults: readonly ShareFault[] }> {
  const { config, share: shareConfig, key, ours } = input;
  const hashing = createHasher(config);
  try {
    const logger = createLogger({ level: 'silent' });
    const share = await openShare(shareConfig, { hasher: hashing.hasher, logger, key, looksOnly: true });
    return {
      traits: await ask(async () => await share.tryOut(), ASK_MS),
      freeBytes: await ask(async () => await share.freeBytes(), ASK_MS),
      minFreeBytes: shareConfig.minFreeBytes ?? SHARE_DEFAULTS.minFreeBytes,
      watch: await ask(async () => await lookAtWatch(share, ours), ASK_MS),
      intake: ours && (await inspectIntake(share, ours)),
    };
  } catch (error) {
    const { faults } = error as { readonly faults?: readonly ShareFault[] };
    if (faults !== undefined) return { faults };
    throw new Error(toWhy(error), { cause: error });
  } finally {
    await hashing.close();
  }
}

async function lookAtWatch(
  { temporals }: Pick<Share, 'temporals'>,
  ours: OurTemporal | undefined,
): Promise<WatchFacts | undefined> {
  const watch = await temporals.watchedBy(ours ?? { id: '' });
  if (watch === undefined) return undefined;
  const lastMs = await temporals.lastBeatMs(watch.temporal.id);
  return {
    temporal: watch.temporal,
    isOurs: ours && watch.isOurs,
    silentMs: lastMs === undefined ? undefined : Math.max(0, systemClock.wallMs() - lastMs),
    beatMs: temporals.beatMs,
    takeOverMs: temporals.takeOverMs,
  };
}
