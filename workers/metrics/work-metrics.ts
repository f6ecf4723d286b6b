// What a worker process counts of its work. It is wrapped around the adapters and the activities, so that
// neither they nor any workflow know of it; what others have to tell is asked only when somebody reads it.
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { AppendRecordInput, BatchActivities, SettleUpInput } from '../../activities';
import { systemClock } from '../../activities/host/clock';
import { type Counter, type Histogram, Metrics, type Sample } from '../../activities/host/metrics';
import type { Dependency } from '../../activities/scope/dependency-away';
import type { AwayIncident } from '../../activities/scope/dependency-board';
import type { TellProof } from '../../activities/scope/dependency-evidence';
import { isOnlyWaiting } from '../../activities/scope/failure';
import { routeOf } from '../../activities/service/endpoint';
import { isServiceError } from '../../activities/service/errors';
import type { SeenLimit } from '../../activities/service/rate/shared-rate-gate';
import type { Sender } from '../../activities/service/service-client';
import type { TokenSource } from '../../activities/service/tokens/token-source';
import type { Storage } from '../../activities/transfer/storage/storage';

/** Upper bounds of the buckets of what is timed, in seconds. */
export const ANSWER_SECONDS: readonly number[] = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];
/** Checked against the types: an activity that is renamed must not silently go uncounted. */
const SETTLING = 'settleUp' satisfies keyof BatchActivities;
const NOTING = 'appendRecord' satisfies keyof BatchActivities;

export class WorkMetrics {
  readonly all = new Metrics();
  readonly documents: Counter;
  readonly requests: Counter;
  readonly responseTimes: Histogram;
  readonly bytes: Counter;
  readonly #steps: Histogram;
  readonly #failures: Counter;
  /** When each answered last: Unix ms for people, and by the clock that never steps for its age. */
  readonly #answered = new Map<Dependency, { readonly atMs: number; readonly monotonicMs: number }>();
  #limits: () => readonly SeenLimit[] = () => [];
  #token: Pick<TokenSource, 'describe'>['describe'] = () => undefined;
  #away: () => readonly AwayIncident[] = () => [];

  constructor() {
    const { all } = this;
    this.documents = all.counter(
      'drawbridge_documents_total',
      'Documents that came to an end, by share, outcome (submitted, skipped, set-apart) and reason.',
    );
    this.requests = all.counter(
      'drawbridge_requests_total',
      'Requests to the service, by operation and status; a word where none was answered.',
    );
    this.responseTimes = all.histogram(
      'drawbridge_request_seconds',
      'From asking to the answer of the service, with the wait for the rate limit.',
      ANSWER_SECONDS,
    );
    this.bytes = all.counter(
      'drawbridge_sent_bytes_total',
      "Bytes of files that the service's storage took.",
    );
    // A step is an activity here, not one of the steps 1 to 8: the names stay, for dashboards know them.
    this.#steps = all.histogram(
      'drawbridge_step_seconds',
      'Steps of the work that went well, by step.',
      ANSWER_SECONDS,
    );
    this.#failures = all.counter(
      'drawbridge_step_failures_total',
      'Attempts at a step that failed, by step.',
    );
    all.gauge('drawbridge_rate_limit', 'Requests allowed in each window of the limit.', () =>
      this.#limitSamples(({ limit }) => limit),
    );
    all.gauge('drawbridge_rate_remaining', 'Requests left in each window, as last told.', () =>
      this.#limitSamples(({ remaining }) => remaining),
    );
    all.gauge('drawbridge_rate_reset_seconds', 'Until each window begins anew, as last told.', () =>
      this.#limitSamples(({ resetInMs }) => resetInMs / 1_000),
    );
    all.gauge('drawbridge_rate_window_seconds', 'Longest time to a reset that was ever told.', () =>
      this.#limitSamples(({ longestMs }) => longestMs / 1_000),
    );
    all.gauge('drawbridge_token_expires_seconds', 'Until the token in use ends.', () => {
      const { expiresAtMs } = this.#token() ?? {};
      return expiresAtMs == null ? [] : [{ value: Math.round((expiresAtMs - systemClock.wallMs()) / 1_000) }];
    });
    all.gauge('drawbridge_dependency_answered_seconds', 'How long ago a dependency answered last.', () =>
      [...this.#answered].map(([dependency, { monotonicMs }]) => ({
        labels: { dependency },
        value: (systemClock.monotonicMs() - monotonicMs) / 1_000,
      })),
    );
    all.gauge(
      'drawbridge_dependency_away_seconds',
      'Since when a dependency is away; none when all is here.',
      () =>
        this.#away().map(({ dependency, share, sinceMs }) => ({
          labels: { dependency, ...(share === undefined ? {} : { share }) },
          value: Math.round((systemClock.wallMs() - sinceMs) / 1_000),
        })),
    );
  }

  /** Names whom the gauges ask, each time they are read. */
  follow(told: {
    readonly limits: () => readonly SeenLimit[];
    readonly token: Pick<TokenSource, 'describe'>;
    readonly away: () => readonly AwayIncident[];
  }): void {
    this.#limits = told.limits;
    this.#token = () => told.token.describe();
    this.#away = told.away;
  }

  /** For whoever sees that a dependency is there. */
  readonly tellProof: TellProof = ({ dependency }) => {
    const at = { atMs: systemClock.wallMs(), monotonicMs: systemClock.monotonicMs() };
    this.#answered.set(dependency, at);
  };

  /** Unix ms; undefined: not since the start. */
  answeredMs(dependency: Dependency): number | undefined {
    return this.#answered.get(dependency)?.atMs;
  }

  get limits(): readonly SeenLimit[] {
    return this.#limits();
  }

  get token(): ReturnType<TokenSource['describe']> {
    return this.#token();
  }

  /** The same sender, counted. */
  countSender(sender: Sender): Sender {
    return {
      send: async (endpoint, input) => {
        const operation = routeOf(endpoint);
        const startedMs = systemClock.monotonicMs();
        try {
          const response = await sender.send(endpoint, input);
          this.#noteResponse(operation, 'ok', startedMs);
          return response;
        } catch (error: unknown) {
          this.#noteResponse(operation, toStatusLabel(error), startedMs);
          throw error;
        }
      },
    };
  }

  /** The same storage, counted. */
  countStorage(storage: Storage): Storage {
    return {
      put: async input =>
        await storage.put({
          ...input,
          onBytes: sizeBytes => {
            this.bytes.add({}, sizeBytes);
            input.onBytes?.(sizeBytes);
          },
        }),
    };
  }

  /** For the workers: how long each step takes, and what became of the documents. */
  interceptor(share?: string): ActivityInterceptorsFactory {
    return ({ info: { activityType: step } }) => ({
      inbound: {
        execute: async (input, next) => {
          const startedMs = systemClock.monotonicMs();
          try {
            const result = await next(input);
            this.#steps.observe((systemClock.monotonicMs() - startedMs) / 1_000, { step });
            if (step === NOTING && share !== undefined) this.#noteRecord(share, input.args[0]);
            if (step === SETTLING && share !== undefined) this.#noteSettled(share, input.args[0]);
            return result;
          } catch (error: unknown) {
            if (!(error instanceof ApplicationFailure && isOnlyWaiting(error.type)))
              this.#failures.add({ step });
            throw error;
          }
        },
      },
    });
  }

  /** What was submitted is noted at once, and counted then: others of its batch may wait for weeks. */
  #noteRecord(share: string, given: unknown): void {
    const { record } = given as AppendRecordInput;
    if (record.kind !== 'outcome') return;
    for (const { kind } of record.outcomes)
      if (kind === 'submitted') this.documents.add({ share, outcome: kind, reason: '' });
  }

  /** All but what was submitted is counted with the batch's final receipt, of which there is only one. */
  #noteSettled(share: string, given: unknown): void {
    const { final, outcomes } = given as SettleUpInput;
    if (!final) return;
    for (const outcome of outcomes) {
      if (outcome.kind === 'submitted') continue;
      const reason = outcome.kind === 'set-apart' ? outcome.reason.code : '';
      this.documents.add({ share, outcome: outcome.kind, reason });
    }
  }

  #noteResponse(operation: string, status: string, startedMs: number): void {
    this.requests.add({ operation, status });
    if (/^(?:ok|\d+)$/.test(status))
      this.responseTimes.observe((systemClock.monotonicMs() - startedMs) / 1_000);
  }

  #limitSamples(read: (limit: SeenLimit) => number): readonly Sample[] {
    return this.#limits().map(seen => ({ labels: { window: String(seen.limit) }, value: read(seen) }));
  }
}

function toStatusLabel(error: unknown): string {
  if (!isServiceError(error)) return 'ended';
  return error.status === undefined ? error.code.toLowerCase().replaceAll('_', '-') : String(error.status);
}
