// Watches what a worker process depends on: every failed attempt and every proof of life goes to its board,
// which tells each incident once, to the log and to whoever looks on.
import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory, NativeConnection } from '@temporalio/worker';
import { systemClock } from '../activities/host/clock';
import { type AwayIncident, DependencyBoard, type IncidentEvent } from '../activities/scope/dependency-board';
import { AUTHENTICATION_TRIED, STORAGE_TRIED, type TellProof } from '../activities/scope/dependency-evidence';
import { readFailureDetails, toWhy, withAwaySince } from '../activities/scope/dependency-failure';
import type { FailureDetails } from '../activities/scope/failure';
import type { Logger } from './logging';

const LOOK_EVERY_MS = 10_000;
const LOOK_TIMEOUT_MS = 5_000;

const WORDS: Readonly<Record<IncidentEvent['dependency'], string>> = {
  authentication: 'The authentication of the service',
  api: 'The API of the service',
  storage: 'The storage of the service',
  share: 'The share',
  temporal: 'Temporal',
};

export class IncidentWatch {
  readonly #logger: Logger;
  readonly #nowMs: () => number;
  readonly #board: DependencyBoard;

  constructor(logger: Logger, nowMs: () => number = systemClock.wallMs) {
    this.#logger = logger;
    this.#nowMs = nowMs;
    this.#board = new DependencyBoard(event => this.#tell(event));
  }

  /** The adapters call it whenever a dependency has answered. */
  readonly tellProof: TellProof = proof => this.#board.worked(proof, this.#nowMs());

  /** What is away, by what this process has seen. */
  readonly away = (): readonly AwayIncident[] => this.#board.away();

  /** For the workers: notes how each attempt ends. `share`: the one that the worker serves, if it does. */
  interceptor(share?: string): ActivityInterceptorsFactory {
    return context => ({
      inbound: {
        execute: async (input, next) => {
          const startedMs = systemClock.monotonicMs();
          try {
            const result = await next(input);
            // Success shows only that the share is there; the adapters see whatever the service answers.
            if (share !== undefined)
              this.tellProof({ dependency: 'share', share, tried: context.info.activityType });
            return result;
          } catch (error: unknown) {
            const tookMs = systemClock.monotonicMs() - startedMs;
            throw this.#noteFailure(error, { context, share, args: input.args, tookMs });
          }
        },
      },
    });
  }

  /**
   * Asks the Temporal server now and then whether it is there, for a worker only waits for it, silently.
   * Returns the function that ends this.
   */
  watchTemporal(connection: Pick<NativeConnection, 'workflowService' | 'withDeadline'>): () => void {
    let isLooking = false;
    const look = async (): Promise<void> => {
      if (isLooking) return;
      isLooking = true;
      const startedMs = systemClock.monotonicMs();
      try {
        await connection.withDeadline(systemClock.wallMs() + LOOK_TIMEOUT_MS, () =>
          connection.workflowService.getSystemInfo({}),
        );
        this.tellProof({ dependency: 'temporal', tried: 'look' });
      } catch {
        // The library's message may hold addresses, and says no more than this.
        const failure = { dependency: 'temporal', tried: 'look', why: 'it does not answer' } as const;
        this.#board.failed({ ...failure, tookMs: systemClock.monotonicMs() - startedMs }, this.#nowMs());
      } finally {
        isLooking = false;
      }
    };
    const timer = setInterval(() => void look(), LOOK_EVERY_MS);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** The error to rethrow; where a dependency failed, it also tells since when that is away. */
  #noteFailure(error: unknown, attempt: Attempt): unknown {
    const details = readFailureDetails(error);
    if (!(error instanceof ApplicationFailure) || details?.dependency == null) return error;
    const { dependency } = details;
    const { info } = attempt.context;
    this.#logger.debug(
      { activity: info.activityType, attempt: info.attempt, dependency, code: details.code },
      'An attempt failed; it is repeated',
    );
    const sinceMs = this.#board.failed(
      {
        dependency,
        ...(dependency === 'share' && attempt.share !== undefined ? { share: attempt.share } : {}),
        tried: toTried(details, info.activityType),
        why: toWhy(error.message, details.route),
        waiting: {
          workflowId: info.workflowExecution?.workflowId ?? '',
          documents: listDocuments(attempt.args[0]),
        },
        tookMs: attempt.tookMs,
      },
      this.#nowMs(),
    );
    return withAwaySince(error, sinceMs);
  }

  #tell(event: IncidentEvent): void {
    const what = event.share === undefined ? WORDS[event.dependency] : `The share ${event.share}`;
    if (event.event === 'dependency-away') {
      const since = new Date(event.sinceMs).toISOString();
      this.#logger.warn({ ...event, since }, `${what} is away: ${event.why}; what needs it waits`);
    } else this.#logger.info(event, `${what} is back; everything goes on`);
  }
}

interface Attempt {
  readonly context: Context;
  readonly share: string | undefined;
  readonly args: readonly unknown[];
  readonly tookMs: number;
}

function toTried({ dependency, route }: FailureDetails, activityType: string): string {
  if (dependency === 'authentication') return AUTHENTICATION_TRIED;
  if (dependency === 'storage') return STORAGE_TRIED;
  return dependency === 'api' ? (route ?? activityType) : activityType;
}

/** Indexes of the documents that an activity is about, in whichever form its input names them. */
function listDocuments(input: unknown): readonly number[] {
  if (typeof input !== 'object' || input === null) return [];
  const { indexes, items, files, documents, outcomes } = input as Readonly<Record<string, unknown>>;
  return [indexes, items, files, documents, outcomes].flatMap(list =>
    Array.isArray(list) ? list.flatMap(toIndex) : [],
  );
}

function toIndex(entry: unknown): readonly number[] {
  if (typeof entry === 'number') return [entry];
  const index = (entry as { readonly index?: unknown } | null | undefined)?.index;
  return typeof index === 'number' ? [index] : [];
}
