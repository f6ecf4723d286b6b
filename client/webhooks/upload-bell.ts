// Finds the batch that an upload belongs to, and tells it that the service has spoken of it.
// A hint and no more: nothing is kept, what cannot be told at once is left, and whoever is
// told looks at the service himself.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { systemClock } from '../../activities/host/clock';
import { forEachLimited } from '../../activities/host/concurrency';
import { lookSignal, uploadsQuery } from '../../workflows/ingest/ingest-contract';

/**
 * Between two rounds of asking batches, and between two hints to one batch: the
 * batch looks no more often either.
 */
const LEAST_BETWEEN_MS = 5_000;
/** Uploads change less as a batch grows older: it is asked again when a quarter of its age has passed. */
const PART_OF_AGE = 4;
const ASKED_AT_ONCE = 8;
const ANSWER_WITHIN_MS = 3_000;
/** Uploads of a project that wait to be told of; more come only from somebody who forges them. */
const MOST_PENDING = 1_000;
const MOST_PROJECTS = 100;

export interface UploadEvent {
  readonly projectId: string;
  readonly uploadId: string;
}

/** What the bell needs of Temporal. */
export interface BatchesOnTheirWay {
  /** Workflow ids of the project's batches that run, and when each began. */
  list(projectId: string): Promise<readonly { readonly workflowId: string; readonly startedMs: number }[]>;
  /** Uploads of its documents that have not ended. */
  uploadsOf(workflowId: string): Promise<readonly string[]>;
  look(workflowId: string, uploadIds: readonly string[]): Promise<void>;
}

interface BellLogger {
  warn(facts: Readonly<Record<string, unknown>>, message: string): void;
}

interface Known {
  readonly startedMs: number;
  readonly askedMs: number;
  readonly uploadIds: ReadonlySet<string>;
}

interface Project {
  readonly pending: Set<string>;
  readonly batches: Map<string, Known>;
  readonly toldMs: Map<string, number>;
  askedMs: number;
  serving: Promise<void> | undefined;
}

export class UploadBell {
  readonly #batches: BatchesOnTheirWay;
  readonly #logger: BellLogger;
  readonly #leastBetweenMs: number;
  readonly #projects = new Map<string, Project>();
  readonly #ended = new AbortController();

  constructor(batches: BatchesOnTheirWay, logger: BellLogger, leastBetweenMs: number = LEAST_BETWEEN_MS) {
    this.#batches = batches;
    this.#logger = logger;
    this.#leastBetweenMs = leastBetweenMs;
  }

  /** Returns at once. Never throws. */
  ring({ projectId, uploadId }: UploadEvent): void {
    const project = this.#projectOf(projectId);
    if (project === undefined || uploadId === '' || project.pending.size >= MOST_PENDING) return;
    project.pending.add(uploadId);
    if (project.serving === undefined) this.#start(projectId, project);
  }

  #start(projectId: string, project: Project): void {
    project.serving = this.#serve(projectId, project)
      .catch((error: unknown) => {
        project.pending.clear();
        const why = error instanceof Error ? error.name : 'unknown';
        this.#logger.warn(
          { event: 'hint-not-told', projectId, why },
          'A batch could not be told of an event',
        );
      })
      .then(() => {
        project.serving = undefined;
        // Rung for in the very moment of ending.
        if (project.pending.size > 0 && !this.#ended.signal.aborted) this.#start(projectId, project);
      });
  }

  /** Ends when nothing is under way any more. */
  async close(): Promise<void> {
    this.#ended.abort();
    await Promise.all([...this.#projects.values()].map(({ serving }) => serving));
  }

  #projectOf(projectId: string): Project | undefined {
    const known = this.#projects.get(projectId);
    if (known !== undefined) return known;
    if (projectId === '' || this.#ended.signal.aborted || this.#projects.size >= MOST_PROJECTS)
      return undefined;
    const project: Project = {
      pending: new Set(),
      batches: new Map(),
      toldMs: new Map(),
      askedMs: Number.NEGATIVE_INFINITY,
      serving: undefined,
    };
    this.#projects.set(projectId, project);
    return project;
  }

  async #serve(projectId: string, project: Project): Promise<void> {
    while (project.pending.size > 0 && !this.#ended.signal.aborted) {
      const nowMs = systemClock.monotonicMs();
      const unknown = [...project.pending].filter(id => findBatch(project, id) === undefined);
      if (unknown.length > 0 && nowMs >= project.askedMs + this.#leastBetweenMs) {
        project.askedMs = nowMs;
        await this.#ask(projectId, project);
        // No batch that runs has it: one that begins with it later looks anyway.
        for (const id of unknown) if (findBatch(project, id) === undefined) project.pending.delete(id);
      }
      await this.#tell(project);
      const dueMs = this.#nextDueMs(project);
      if (dueMs !== undefined)
        await pause(Math.max(1, dueMs - systemClock.monotonicMs()), this.#ended.signal);
    }
  }

  async #ask(projectId: string, project: Project): Promise<void> {
    const running = await this.#batches.list(projectId);
    const ids = new Set(running.map(({ workflowId }) => workflowId));
    for (const workflowId of project.batches.keys()) if (!ids.has(workflowId)) forget(project, workflowId);
    const nowMs = systemClock.wallMs();
    const due = running.filter(({ workflowId }) => {
      const known = project.batches.get(workflowId);
      return known === undefined || nowMs >= known.askedMs + (known.askedMs - known.startedMs) / PART_OF_AGE;
    });
    await forEachLimited(due, ASKED_AT_ONCE, async ({ workflowId, startedMs }) => {
      // One that is not open yet, or that no worker answers for, has no uploads to be told of.
      const uploadIds = await this.#batches.uploadsOf(workflowId).catch(() => []);
      project.batches.set(workflowId, { startedMs, askedMs: nowMs, uploadIds: new Set(uploadIds) });
    });
  }

  /** Those that may be told now; the others' hints are gathered until it is their time. */
  async #tell(project: Project): Promise<void> {
    const hints = new Map<string, string[]>();
    // One time for all: else the moment that a batch is due could part its uploads.
    const nowMs = systemClock.monotonicMs();
    for (const uploadId of project.pending) {
      const workflowId = findBatch(project, uploadId);
      if (workflowId === undefined || nowMs < this.#dueOf(project, workflowId)) continue;
      hints.set(workflowId, [...(hints.get(workflowId) ?? []), uploadId]);
    }
    for (const [workflowId, uploadIds] of hints) {
      for (const uploadId of uploadIds) project.pending.delete(uploadId);
      project.toldMs.set(workflowId, systemClock.monotonicMs());
      // Ended meanwhile: then it has no uploads.
      await this.#batches.look(workflowId, uploadIds).catch(() => forget(project, workflowId));
    }
  }

  #dueOf({ toldMs }: Project, workflowId: string): number {
    return (toldMs.get(workflowId) ?? Number.NEGATIVE_INFINITY) + this.#leastBetweenMs;
  }

  #nextDueMs(project: Project): number | undefined {
    const dues = [...project.pending].map(id => {
      const workflowId = findBatch(project, id);
      return workflowId === undefined
        ? project.askedMs + this.#leastBetweenMs
        : this.#dueOf(project, workflowId);
    });
    return dues.length === 0 ? undefined : Math.min(...dues);
  }
}

/** What a Temporal client tells of batches. */
export function batchesAt(client: Client): BatchesOnTheirWay {
  return {
    list: async projectId => {
      const running: { workflowId: string; startedMs: number }[] = [];
      const query = `WorkflowType = 'ingestBatchWorkflow' AND ExecutionStatus = 'Running' AND WorkflowId STARTS_WITH 'ingest/${projectId}/'`;
      for await (const { workflowId, startTime } of client.workflow.list({ query })) {
        running.push({ workflowId, startedMs: startTime.getTime() });
      }
      return running;
    },
    uploadsOf: async workflowId =>
      await client.withDeadline(systemClock.wallMs() + ANSWER_WITHIN_MS, () =>
        client.workflow.getHandle(workflowId).query(uploadsQuery),
      ),
    look: async (workflowId, uploadIds) =>
      await client.workflow.getHandle(workflowId).signal(lookSignal, { uploadIds }),
  };
}

function findBatch({ batches }: Project, uploadId: string): string | undefined {
  for (const [workflowId, { uploadIds }] of batches) if (uploadIds.has(uploadId)) return workflowId;
  return undefined;
}

function forget(project: Project, workflowId: string): void {
  project.batches.delete(workflowId);
  project.toldMs.delete(workflowId);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
