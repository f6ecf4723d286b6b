// The jobs of the page on a real share in a folder of its own.
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Client } from '@temporalio/client';
import { Metrics } from '../../../../activities/host/metrics';
import type { Share, ShareDeps } from '../../../../activities/share/share';
import type { ShareConfig } from '../../../../activities/share/share-config';
import { ApartFiles } from '../../../../client/console/apart/apart-listing';
import { createJobs } from '../../../../client/console/jobs/jobs';
import type { ConsoleDeps, Person } from '../../../../client/console/serve/module';
import type { Config } from '../../../../workers/config/config';
import { createLogger, type Logger } from '../../../../workers/logging';
import type { BatchProgress } from '../../../../workflows/ingest/ingest-contract';
import { createTestBed, type TestBed } from '../../../activities/share/share-test-bed';

export const ANYONE: Person = { id: 'Maria', name: 'Maria', may: () => true };

export interface JobsBed {
  readonly bed: TestBed;
  readonly share: Share;
  readonly jobs: ReturnType<typeof createJobs>;
  readonly apart: ApartFiles;
  /** Why batches wait for an operator, by id. */
  readonly stopped: Map<string, string>;
  /** What each run says; undefined while Temporal is away. */
  progress: Partial<BatchProgress> | undefined;
  /** The share, as this host sees it. */
  isAway: boolean;
  /** The page, started anew. */
  again(): Promise<ReturnType<typeof createJobs>>;
  /** Moves the clock of the page on. */
  pass(ms: number): void;
  /** Claims and seals these files of a folder as the next part of its job. */
  carry(folder: string, ...names: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

export async function createJobsBed(
  overrides: Partial<ShareConfig> = {},
  shareDeps: Partial<ShareDeps> = {},
  logger: Logger = createLogger({ level: 'silent' }),
): Promise<JobsBed> {
  const bed = await createTestBed(existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
  const share = await bed.open(overrides, shareDeps);
  let passedMs = 0;
  const deps: ConsoleDeps = {
    config: {
      stateDir: `${bed.root}/state`,
      shares: [share.config],
      console: { temporalUi: 'http://127.0.0.1:8233/' },
      temporal: { address: '127.0.0.1:7233', namespace: 'site' },
    } as unknown as Config,
    shares: () =>
      rig.isAway
        ? [{ config: share.config, share: undefined, why: 'It is not mounted.' }]
        : [{ config: share.config, share, why: undefined }],
    temporal: async () => {
      const { progress } = rig;
      if (progress === undefined) throw new Error('Temporal is away');
      const withDeadline = async (_: number, ask: () => Promise<unknown>) => await ask();
      const workflow = { getHandle: () => ({ query: async () => progress }) };
      return { withDeadline, workflow } as unknown as Client;
    },
    logger,
    changed: () => undefined,
    now: () => new Date(Date.now() + passedMs),
    metrics: new Metrics(),
  };
  const apart = new ApartFiles(deps);
  const stopped = new Map<string, string>();
  const lookout = { whyStopped: (_share: string, batchId: string) => stopped.get(batchId) };
  const jobs = createJobs(deps, { apart, lookout });
  const rig: JobsBed = {
    bed,
    share,
    jobs,
    apart,
    stopped,
    progress: undefined,
    isAway: false,
    again: async () => createJobs(deps, { apart, lookout }),
    pass: ms => {
      passedMs += ms;
    },
    carry: async (folder, ...names) => {
      const job = await share.openJob(folder);
      const { batch } = await share.claim(
        names.map(name => `${folder}/${name}`),
        { job },
      );
      const sealed = await share.writeManifest(batch!);
      if (sealed.batchId === undefined) throw new Error('nothing was sealed');
      return sealed.batchId;
    },
    remove: async () => {
      await jobs.close?.();
      await bed.remove();
    },
  };
  return rig;
}

export const QUERY = { state: 'all', q: '', zone: 'UTC' } as const;

/** The page's list of jobs, as whoever may see all of them gets it. */
export async function listJobs({ jobs }: Pick<JobsBed, 'jobs'>, query: object = {}) {
  const asked = { params: undefined, query: { ...QUERY, ...query }, body: undefined };
  return await jobs.handlers['GET /api/jobs'](asked, ANYONE);
}
