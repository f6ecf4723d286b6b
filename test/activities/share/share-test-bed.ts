// A share in a folder of its own, with everything real but the thread pool.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { BatchDeps } from '../../../activities/ingest/batches';
import type { StopFinder } from '../../../activities/ledger/served-ledgers';
import type { Coordinators } from '../../../activities/revision-order/turns';
import type { Holder } from '../../../activities/share/batch/hold';
import type { ClaimedBatch } from '../../../activities/share/claim/claim-files';
import { type ClaimOwner, toClaimText } from '../../../activities/share/claim/claim-owner';
import { comparePaths } from '../../../activities/share/files/relative-path';
import { openShare } from '../../../activities/share/open-share';
import type { Share, ShareDeps } from '../../../activities/share/share';
import { SHARE_DEFAULTS, type ShareConfig } from '../../../activities/share/share-config';
import type { FileHasher } from '../../../activities/transfer/hashing/hash-file';
import type { RevisionId, UploadId } from '../../../workflows/contract';
import type { BatchPolicy, DocumentOutcome } from '../../../workflows/ingest/ingest-contract';

/** What the shares of tests are sealed with. */
export const SHARE_KEY = Buffer.alloc(32, 7);

export const POLICY: BatchPolicy = {
  conflict: { kind: 'ask' },
  missing: 'hold',
  holdMs: 1_000,
  conflictRetryMs: 1_000,
  lookAgain: { everyMs: 1, forMs: 1 },
  analysis: { firstLookMs: 1, everyMs: 1, typicalMs: 1, forMs: 1 },
  transferChunk: 10,
  linkWithinMs: 1_000,
  naming: 'file',
  patternFields: [],
  createOneByOne: false,
  defaults: {},
};

export interface LogLine {
  readonly level: 'info' | 'warn';
  readonly message: string;
  readonly event?: unknown;
  readonly [field: string]: unknown;
}

export class FakeLogger {
  readonly lines: LogLine[] = [];

  info(fields: Readonly<Record<string, unknown>>, message: string): void {
    this.lines.push({ ...fields, level: 'info', message });
  }

  warn(fields: Readonly<Record<string, unknown>>, message: string): void {
    this.lines.push({ ...fields, level: 'warn', message });
  }
}

/** Hashes on the event loop: enough for small files. */
export const simpleHasher: FileHasher = {
  async hashFile(path, { segments, signal }) {
    const bytes = await readFile(path, signal === undefined ? {} : { signal });
    const hash = (part: Buffer) => createHash('sha256').update(part).digest('hex');
    return {
      sizeBytes: bytes.length,
      sha256: hash(bytes),
      segments: segments.map(({ offset, sizeBytes }) => ({
        offset,
        sizeBytes,
        sha256: hash(bytes.subarray(offset, offset + sizeBytes)),
      })),
    };
  },
};

export interface TestBed {
  readonly root: string;
  readonly logger: FakeLogger;
  readonly config: ShareConfig;
  open(overrides?: Partial<ShareConfig>, deps?: Partial<ShareDeps>): Promise<Share>;
  /** Puts a file into the drop folder. */
  drop(path: string | Buffer, content?: string | Buffer): Promise<void>;
  /** Every file below a folder of the share, relative to it, sorted. */
  list(folder: string): Promise<string[]>;
  read(path: string): Promise<string>;
  remove(): Promise<void>;
}

export async function createTestBed(parent = tmpdir()): Promise<TestBed> {
  const root = await mkdtemp(join(parent, 'drawbridge-share-'));
  const logger = new FakeLogger();
  const config: ShareConfig = {
    ...SHARE_DEFAULTS,
    name: 'tender',
    folder: root,
    project: { companyId: '1', projectId: '2' },
    policy: POLICY,
  };
  return {
    root,
    logger,
    config,
    open: async (overrides = {}, deps = {}) =>
      openShare({ ...config, ...overrides }, { hasher: simpleHasher, logger, key: SHARE_KEY, ...deps }),
    async drop(path, content = `content of ${path.toString('latin1')}`) {
      const place =
        typeof path === 'string'
          ? join(root, 'drop', path)
          : Buffer.concat([Buffer.from(`${root}/drop/`), path]);
      if (typeof place === 'string') await mkdir(dirname(place), { recursive: true });
      await writeFile(place, content);
    },
    async list(folder) {
      const base = join(root, folder);
      const names = await readdir(base, { recursive: true }).catch(() => [] as string[]);
      const files: string[] = [];
      for (const name of names) {
        const facts = await lstat(join(base, name)).catch(() => undefined);
        if (facts === undefined || !facts.isDirectory()) files.push(relative(base, join(base, name)));
      }
      return files.sort(comparePaths);
    },
    read: async path => readFile(join(root, path), 'utf8'),
    remove: async () => rm(root, { recursive: true, force: true }),
  };
}

/** Claims and seals everything in the drop folder, at most 100 files. */
export async function claimAll(share: Share) {
  const paths: string[] = [];
  for await (const name of share.scan()) paths.push(name.path);
  const { batch, notClaimed } = await share.claim(paths.sort(comparePaths));
  if (batch === undefined) throw new Error('nothing was claimed');
  const sealed = await share.writeManifest(batch);
  if (sealed.batchId === undefined) throw new Error('nothing was sealed');
  return { ...sealed, notClaimed };
}

/** Edits who has claimed a batch, as whoever has the share's key can. */
export function changeClaim({ paths }: ClaimedBatch, changes: Partial<ClaimOwner>): void {
  const { seal: _seal, sealedBy: _by, ...owner } = JSON.parse(readFileSync(paths.claim, 'utf8'));
  writeFileSync(paths.claim, toClaimText(paths, { ...owner, ...changes }));
}

/** Of a process that is gone. */
export const DEAD: Partial<ClaimOwner> = { pid: 2 ** 22 + 1, processStart: '1' };

/** An outcome as a clean submission gives it. */
export function submitted(index: number): DocumentOutcome {
  return {
    index,
    kind: 'submitted',
    uploadId: `U${index}` as UploadId,
    revisionId: `R${index}` as RevisionId,
    paired: 'certain',
    submittedAtMs: Date.UTC(2026, 0, 31, 9, 30, 0),
    stored: [{ label: 'Number', value: `N-${index}` }],
  };
}

/** A run of a Temporal, as it asks for a batch. */
export function aHolder(workflowId: string, id = 'one', former: readonly string[] = []): Holder {
  const temporal = { id, namespace: `namespace-${id}`, address: '127.0.0.1:7233', host: 'a-host', former };
  return { temporal, workflowId, runId: 'a-run' };
}

/** A coordinator that knows of no batch: what the share itself shows decides. */
const KNOWS_NOTHING: Coordinators = {
  register: async () => undefined,
  ended: async () => true,
  ask: async (_, { behind }) => {
    const unknown = [...new Set(behind.map(({ batchId }) => batchId))];
    return { kind: 'turns', waiting: [], unknown, passing: [], overtaken: [] };
  },
};

/** Ledgers in which nothing is. */
const NOTHING_SENT: StopFinder = { findStops: async () => new Map() };

/** Work on a batch for this run. */
export function by(
  holder: Holder,
  coordinators = KNOWS_NOTHING,
  attempt = 1,
  ledgers: StopFinder = NOTHING_SENT,
): BatchDeps {
  return { holder, coordinators, attempt, ledgers, askedAtMs: Date.now() };
}
