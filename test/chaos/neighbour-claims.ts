// Thousands of claims beside a stranger who exchanges what is claimed: the share's own
// code, without Temporal and service.
import { chmodSync, constants, mkdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { SealedBatch } from '../../activities/share/claim/hash-claim';
import type { DropEntry } from '../../activities/share/drop/scan-drop';
import type * as ShareModule from '../../activities/share/open-share';
import type { Share } from '../../activities/share/share';
import type { ShareConfig } from '../../activities/share/share-config';
import type { FileHasher } from '../../activities/transfer/hashing/hash-file';
import { POLICY, submitted } from '../activities/share/share-test-bed';
import { findLeaks, hashOf, hide, judgeNeighbours, lookAtHidden } from './neighbour-oracle';
import { type NeighbourRun, taskFor, tell } from './neighbour-run';
import { Stranger } from './neighbour-stranger';

const KEY = Buffer.alloc(32, 9);
/** Few at a time: each look and what follows from it are a chance for the stranger. */
const FILES_A_CLAIM = 12;
const OTHERS = 2;

export async function tryClaims(input: NeighbourRun): Promise<void> {
  const { dist, folder, isOtherUser, ms } = input;
  const root = join(folder, 'share');
  const hidden = join(folder, 'hidden');
  const { names, files: before } = hide(hidden);
  const bed = await openClaimBed(dist, root);
  chmodSync(bed.drop, 0o777);
  const stranger = new Stranger(taskFor(input, root, { names, others: bed.others }), isOtherUser);
  const endMs = performance.now() + ms;
  const claims = await claimAllTheTime(bed.share, () => performance.now() > endMs);
  const report = await stranger.end();
  // Everything is in its place again: what was away just now is carried.
  const last = await claimAllTheTime(bed.share, startRounds(3));
  const sent = [...claims.sent, ...last.sent];
  const evidence = { before, after: lookAtHidden(hidden), leaked: findLeaks(root), received: sent, report };
  for (const [invariant, what] of judgeNeighbours({
    ...evidence,
    revisions: sent,
    planted: [],
    honest: bed.honest,
  }))
    input.object(invariant, what);
  // A claim that fails as a whole keeps the files of others from being carried.
  for (const [what, count] of [...claims.troubles, ...last.troubles])
    input.object('a claim holds what can be carried', `${count} times: ${what}`);
  const left = (await bed.share.openBatches()).map(({ batchId, state }) => `${batchId} ${state}`);
  if (left.length > 0) input.object('15 everything ends', left.join(', '));
  input.note(`${claims.claims} claims, ${claims.files} files, ${claims.adopted} adopted; ${tell(report)}`);
}

/** True from the next but so many questions on. */
function startRounds(count: number): () => boolean {
  let left = count;
  return () => left-- <= 0;
}

interface ClaimBed {
  readonly share: Share;
  readonly drop: string;
  /** Folders of another dropper, and the SHA-256 of their files by path. */
  readonly others: readonly string[];
  readonly honest: ReadonlyMap<string, string>;
}

/** @param dist root of the built product whose code is tried. */
async function openClaimBed(dist: string, folder: string): Promise<ClaimBed> {
  const drop = join(folder, 'drop');
  mkdirSync(drop, { recursive: true });
  const honest = new Map<string, string>();
  const others = Array.from({ length: OTHERS }, (_, at) => join(drop, `others-${at}`));
  for (const other of others) {
    mkdirSync(other);
    for (const name of ['plan.pdf', 'section.pdf']) {
      const content = `%PDF of others ${other} ${name}`;
      writeFileSync(join(other, name), content);
      honest.set(`${other.slice(drop.length + 1)}/${name}`, hashOf(content));
    }
  }
  return { share: await openShareOf(dist, folder), drop, others, honest };
}

export async function openShareOf(
  dist: string,
  folder: string,
  more: Partial<ShareConfig> = {},
): Promise<Share> {
  const { openShare } = require(join(dist, 'activities', 'share', 'open-share.js')) as typeof ShareModule;
  const { SHARE_DEFAULTS } = require(join(dist, 'activities', 'share', 'share-config.js'));
  const config: ShareConfig = {
    ...(SHARE_DEFAULTS as ShareConfig),
    name: 'tender',
    folder,
    project: { companyId: '1', projectId: '2' },
    policy: POLICY,
    abandonedMs: 0,
    ...more,
  };
  return await openShare(config, {
    hasher,
    logger: { info: () => undefined, warn: () => undefined },
    key: KEY,
  });
}

/** As the product's own, it follows no link. */
const hasher: FileHasher = {
  async hashFile(path, { segments }) {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) throw Object.assign(new Error('no file'), { code: 'EINVAL' });
      const bytes = await file.readFile();
      const sha256 = hashOf(bytes);
      return { sizeBytes: bytes.length, sha256, segments: segments.map(part => ({ ...part, sha256 })) };
    } finally {
      await file.close();
    }
  },
};

interface Claims {
  readonly claims: number;
  readonly files: number;
  readonly adopted: number;
  /** SHA-256 of what was sealed to be sent. */
  readonly sent: readonly string[];
  /** What failed for a claim as a whole, with how often. */
  readonly troubles: ReadonlyMap<string, number>;
}

/** Claims, seals and settles whatever lies there, round after round, until it is told to end. */
async function claimAllTheTime(share: Share, hasEnded: () => boolean): Promise<Claims> {
  const sent: string[] = [];
  const troubles = new Map<string, number>();
  let [claims, files, adopted] = [0, 0, 0];
  const trouble = (error: unknown): void => {
    const { code, message } = error as { code?: string; message?: string };
    const what = `${code}: ${message}`;
    troubles.set(what, (troubles.get(what) ?? 0) + 1);
  };
  const carry = async (sealed: SealedBatch): Promise<void> => {
    files += sealed.manifest.files.length;
    for (const { sha256, refused } of sealed.manifest.files)
      if (sha256 !== undefined && refused === undefined) sent.push(sha256);
    await settle(share, sealed);
  };
  while (!hasEnded()) {
    for (const entries of await lookAround(share)) {
      try {
        const { batch } = await share.claim(entries);
        claims += 1;
        if (batch === undefined) continue;
        const sealed = await share.writeManifest(batch);
        if (sealed.batchId !== undefined) await carry(sealed);
      } catch (error) {
        trouble(error);
      }
    }
    for (const { batchId, state, claim } of await share.openBatches()) {
      try {
        if (state === 'settling') await share.settleUp(batchId, [], { final: true });
        if (claim !== 'abandoned') continue;
        const sealed = await share.adopt(batchId);
        adopted += 1;
        if (sealed !== undefined) await carry(sealed);
      } catch (error) {
        trouble(error);
      }
    }
  }
  return { claims, files, adopted, sent, troubles };
}

/** As the watcher does: names first, then a look at each, then a claim of what was seen. */
async function lookAround(share: Share): Promise<DropEntry[][]> {
  const entries: DropEntry[] = [];
  for await (const name of share.scan()) {
    const entry = await share.look(name).catch(() => undefined);
    if (entry !== undefined) entries.push(entry);
  }
  const claims: DropEntry[][] = [];
  while (entries.length > 0) claims.push(entries.splice(0, FILES_A_CLAIM));
  return claims;
}

async function settle(share: Share, { batchId, manifest }: SealedBatch): Promise<void> {
  const reason = { code: 'x', text: 'x', fix: 'x' };
  const outcomes = manifest.files.map(({ index, refused }) =>
    refused === undefined ? submitted(index) : ({ index, kind: 'set-apart', reason } as const),
  );
  await share.settleUp(batchId, outcomes, { final: true });
}
