// Knows what is away, from the failures and successes of this process, and tells each incident once: when it
// has begun, and when it is over. No clock and no I/O of its own.
import { IncidentLog } from '../host/incident-log';
import type { Dependency } from './dependency-away';

/** What goes away again sooner than this after it was told to be back is told only if it stays away. */
const TELL_AGAIN_AFTER_MS = 5 * 60_000;
/** Longer than the longest delay between two attempts: without a failure since, nothing here asks for it. */
const QUIET_MS = 2 * 60_000;
/** An attempt that took so long is no blip. */
const LONG_ATTEMPT_MS = 5_000;

export interface DependencyRef {
  readonly dependency: Dependency;
  /** Which share; absent for the others. */
  readonly share?: string | undefined;
}

export interface DependencyFailure extends DependencyRef {
  /** What was tried: a route, or an activity. The same thing succeeding shows that it is back. */
  readonly tried: string;
  /** For people; without secrets and addresses. */
  readonly why: string;
  /** Who waits for it now; absent when nobody does. */
  readonly waiting?: Waiting | undefined;
  readonly tookMs: number;
}

export interface Waiting {
  readonly workflowId: string;
  /** Indexes of the documents that were asked for; empty when the attempt was about the run as a whole. */
  readonly documents: readonly number[];
}

export interface WaitingCounts {
  readonly batches: number;
  readonly documents: number;
  /** Runs that carry no batch: change orders, timesheets and so on. */
  readonly others: number;
}

export type IncidentEvent = DependencyRef &
  (
    | {
        readonly event: 'dependency-away';
        readonly sinceMs: number;
        readonly why: string;
        /** It was back for a short time only. */
        readonly again: boolean;
      }
    | ({
        readonly event: 'dependency-back';
        readonly sinceMs: number;
        readonly lastedMs: number;
      } & WaitingCounts)
  );

/** One that is away now. */
export interface AwayIncident extends DependencyRef {
  readonly sinceMs: number;
}

interface Incident {
  readonly ref: DependencyRef;
  readonly sinceMs: number;
  lastFailureMs: number;
  failures: number;
  readonly tried: Set<string>;
  readonly waiting: Map<string, Set<number>>;
}

export class DependencyBoard {
  readonly #tell: (event: IncidentEvent) => void;
  readonly #open = new Map<string, Incident>();
  readonly #told = new IncidentLog();
  /** When an incident of this dependency was last told to be over. */
  readonly #toldBackMs = new Map<string, number>();

  constructor(tell: (event: IncidentEvent) => void) {
    this.#tell = tell;
  }

  /** What was told to be away, and is not back. */
  away(): readonly AwayIncident[] {
    return [...this.#open].flatMap(([key, { ref, sinceMs }]) =>
      this.#told.isOpen(key) ? [{ ...ref, sinceMs }] : [],
    );
  }

  /**
   * Notes an attempt that failed because the dependency is away; returns since when it is, Unix ms. It is
   * told from the second failure on, or after a long one: a fault that the next attempt cures is no incident.
   */
  failed(failure: DependencyFailure, nowMs: number): number {
    const key = keyOf(failure);
    const incident = this.#open.get(key) ?? this.#begin(key, failure, nowMs);
    incident.failures++;
    incident.lastFailureMs = nowMs;
    incident.tried.add(failure.tried);
    if (failure.waiting !== undefined) noteWaiting(incident.waiting, failure.waiting);
    const isCertain = incident.failures > 1 || failure.tookMs >= LONG_ATTEMPT_MS;
    if (isCertain && this.#mayTell(key, nowMs) && this.#told.begins(key)) {
      this.#tell({
        event: 'dependency-away',
        ...incident.ref,
        sinceMs: incident.sinceMs,
        why: failure.why,
        again: this.#toldBackMs.has(key) && !this.#isLongAgo(key, incident.sinceMs),
      });
    }
    return incident.sinceMs;
  }

  /**
   * Notes a success. It ends an incident if the same thing has failed in it, or if nothing has for a while.
   */
  worked(ref: DependencyRef & { readonly tried: string }, nowMs: number): void {
    const key = keyOf(ref);
    const incident = this.#open.get(key);
    if (incident === undefined) return;
    if (!incident.tried.has(ref.tried) && nowMs - incident.lastFailureMs < QUIET_MS) return;
    this.#open.delete(key);
    if (!this.#told.ends(key)) return;
    this.#toldBackMs.set(key, nowMs);
    this.#tell({
      event: 'dependency-back',
      ...incident.ref,
      sinceMs: incident.sinceMs,
      lastedMs: nowMs - incident.sinceMs,
      ...countWaiting(incident.waiting),
    });
  }

  #begin(key: string, { dependency, share }: DependencyRef, nowMs: number): Incident {
    const incident: Incident = {
      ref: share === undefined ? { dependency } : { dependency, share },
      sinceMs: nowMs,
      lastFailureMs: nowMs,
      failures: 0,
      tried: new Set(),
      waiting: new Map(),
    };
    this.#open.set(key, incident);
    return incident;
  }

  /** What comes and goes is told when it stays away after all, or once its last return is long ago. */
  #mayTell(key: string, nowMs: number): boolean {
    const incident = this.#open.get(key);
    const hasStayed = incident !== undefined && nowMs - incident.sinceMs >= QUIET_MS;
    return hasStayed || this.#isLongAgo(key, nowMs);
  }

  #isLongAgo(key: string, atMs: number): boolean {
    return atMs - (this.#toldBackMs.get(key) ?? Number.NEGATIVE_INFINITY) >= TELL_AGAIN_AFTER_MS;
  }
}

function keyOf({ dependency, share }: DependencyRef): string {
  return `${dependency}/${share ?? ''}`;
}

function noteWaiting(waiting: Map<string, Set<number>>, { workflowId, documents }: Waiting): void {
  const known = waiting.get(workflowId) ?? new Set<number>();
  for (const index of documents) known.add(index);
  waiting.set(workflowId, known);
}

function countWaiting(waiting: ReadonlyMap<string, ReadonlySet<number>>): WaitingCounts {
  const batches = [...waiting].filter(([workflowId]) => workflowId.startsWith('ingest/'));
  return {
    batches: batches.length,
    documents: batches.reduce((sum, [, documents]) => sum + documents.size, 0),
    others: waiting.size - batches.length,
  };
}
