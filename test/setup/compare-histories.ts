// What a recorded history says was asked for, and what the workflows of this build ask for when they
// replay it. Replaying alone compares only the kinds and the order of commands: another timer length or
// another input replays without a word.
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time';
import { type InjectedSinks, type ReplayResult, Worker } from '@temporalio/worker';
import type { CommandSinks, RecordedCommand } from './command-recorder';
import type { RecordedHistory } from './recorded-histories';

type History = RecordedHistory['history'];
type HistoryEvent = NonNullable<History['events']>[number];

/**
 * Replays a history and answers everything the workflow asked for. Rejects when it does not replay at all.
 */
export async function replayCommands(
  codePath: string,
  recorded: RecordedHistory,
): Promise<RecordedCommand[]> {
  const replayer = new Replayer(codePath);
  try {
    return await replayer.replay(recorded);
  } finally {
    await replayer.close();
  }
}

/** One worker for many histories, one after the other: it runs the bundle once, which takes longest. */
export class Replayer {
  #told: RecordedCommand[] = [];
  #given: RecordedHistory | undefined;
  readonly #results: AsyncIterableIterator<ReplayResult>;

  constructor(codePath: string) {
    const sinks: InjectedSinks<CommandSinks> = {
      commands: { told: { fn: (_, command) => void this.#told.push(command), callDuringReplay: true } },
    };
    this.#results = Worker.runReplayHistories({ workflowBundle: { codePath }, sinks }, this.#feed());
  }

  async replay(recorded: RecordedHistory): Promise<RecordedCommand[]> {
    this.#told = [];
    this.#given = recorded;
    const { value } = (await this.#results.next()) as { readonly value: ReplayResult };
    if (value.error !== undefined) throw value.error;
    return this.#told.map(({ about, ...command }) => ({ ...command, about: normalize(command.kind, about) }));
  }

  async close(): Promise<void> {
    await this.#results.return?.();
  }

  /** Asked for the next one with each result that is asked for. */
  async *#feed() {
    while (this.#given !== undefined) {
      const { history, name } = this.#given;
      // Its own id: what is asked for may name it.
      const begun = history.events?.[0]?.workflowExecutionStartedEventAttributes;
      yield { history, workflowId: begun?.workflowId ?? name };
    }
  }
}

/** What was asked for then, as the history has it. */
export function readCommands({ history }: RecordedHistory): RecordedCommand[] {
  const counts = { signal: 0, child: 0 };
  return (history.events ?? []).flatMap((event: HistoryEvent): RecordedCommand[] => {
    const activity = event.activityTaskScheduledEventAttributes;
    if (activity) {
      const { activityId, activityType, taskQueue, input, retryPolicy } = activity;
      const about = {
        args: decode(input?.payloads),
        taskQueue: taskQueue?.name,
        startToCloseMs: durationMs(activity.startToCloseTimeout),
        scheduleToCloseMs: durationMs(activity.scheduleToCloseTimeout) || undefined,
        heartbeatMs: durationMs(activity.heartbeatTimeout) || undefined,
        retry: {
          firstMs: durationMs(retryPolicy?.initialInterval),
          factor: retryPolicy?.backoffCoefficient,
          longestMs: durationMs(retryPolicy?.maximumInterval),
          attempts: retryPolicy?.maximumAttempts || undefined,
        },
      };
      return [
        { kind: 'activity', seq: Number(activityId), name: activityType?.name ?? '', about: plain(about) },
      ];
    }
    const timer = event.timerStartedEventAttributes;
    if (timer) {
      const about = { durationMs: durationMs(timer.startToFireTimeout) };
      return [{ kind: 'timer', seq: Number(timer.timerId), name: '', about: plain(about) }];
    }
    const signal = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
    if (signal) {
      const about = { args: decode(signal.input?.payloads), to: signal.workflowExecution?.workflowId };
      return [{ kind: 'signal', seq: ++counts.signal, name: signal.signalName ?? '', about: plain(about) }];
    }
    const child = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (child) {
      const { workflowId, taskQueue, input, workflowType } = child;
      const about = { args: decode(input?.payloads), workflowId, taskQueue: taskQueue?.name };
      return [{ kind: 'child', seq: ++counts.child, name: workflowType?.name ?? '', about: plain(about) }];
    }
    const end = event.workflowExecutionCompletedEventAttributes;
    if (end) {
      const about = { result: decode(end.result?.payloads)[0] };
      return [{ kind: 'end', seq: 0, name: 'completed', about: plain(about) }];
    }
    const failure = event.workflowExecutionFailedEventAttributes?.failure;
    if (failure) return [{ kind: 'end', seq: 0, name: 'failed', about: { message: failure.message } }];
    return [];
  });
}

/** One line for each difference; none when this build does what was done then. */
export function compareCommands(
  recorded: readonly RecordedCommand[],
  replayed: readonly RecordedCommand[],
): string[] {
  const now = new Map(replayed.map(command => [keyOf(command), command]));
  const differences = recorded.flatMap(then => {
    const label = `${then.kind} ${then.name || then.seq}`;
    const match = now.get(keyOf(then));
    now.delete(keyOf(then));
    if (match === undefined) return [`${label}: is not asked for any more`];
    if (match.name !== then.name) return [`${label}: is ${match.name} now`];
    return listDifferences(then.about, match.about).map(difference => `${label}: ${difference}`);
  });
  const isOver = recorded.some(({ kind }) => kind === 'end');
  // A timer that is no longer needed when its turn to be sent comes leaves no event. A history that was taken
  // on the way does not say what came next.
  const added = isOver ? [...now.values()].filter(({ kind }) => kind !== 'timer') : [];
  return [...differences, ...added.map(({ kind, name, seq }) => `${kind} ${name || seq}: is new`)];
}

function keyOf({ kind, seq }: RecordedCommand): string {
  return `${kind} ${seq}`;
}

/** The words of the SDK's options in the words of the history. */
function normalize(
  kind: RecordedCommand['kind'],
  about: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (kind === 'signal') {
    const target = about.target as { workflowExecution?: { workflowId?: string } };
    return plain({ args: about.args, to: target.workflowExecution?.workflowId });
  }
  if (kind !== 'activity') return plain(about);
  const { args, taskQueue, startToCloseTimeout, scheduleToCloseTimeout, heartbeatTimeout, retry } =
    about as ActivityOptionsTold;
  return plain({
    args,
    taskQueue,
    startToCloseMs: toMs(startToCloseTimeout),
    scheduleToCloseMs: toMs(scheduleToCloseTimeout),
    heartbeatMs: toMs(heartbeatTimeout),
    retry: {
      firstMs: toMs(retry?.initialInterval),
      factor: retry?.backoffCoefficient,
      longestMs: toMs(retry?.maximumInterval),
      attempts: retry?.maximumAttempts,
    },
  });
}

type Time = Parameters<typeof msToNumber>[0];

interface ActivityOptionsTold {
  readonly args?: unknown;
  readonly taskQueue?: string;
  readonly startToCloseTimeout?: Time;
  readonly scheduleToCloseTimeout?: Time;
  readonly heartbeatTimeout?: Time;
  readonly retry?: {
    readonly initialInterval?: Time;
    readonly backoffCoefficient?: number;
    readonly maximumInterval?: Time;
    readonly maximumAttempts?: number;
  };
}

function toMs(time: Time | undefined): number | undefined {
  return time === undefined ? undefined : msToNumber(time);
}

function decode(payloads: readonly Payload[] | null | undefined): unknown[] {
  return (payloads ?? []).map(payload => defaultPayloadConverter.fromPayload(payload));
}

/** Of protobuf, whose seconds are a Long, or a number where none is at hand. */
function durationMs(
  duration: { readonly seconds?: unknown; readonly nanos?: number | null } | null | undefined,
): number | undefined {
  if (!duration) return undefined;
  return Number(duration.seconds ?? 0) * 1_000 + (duration.nanos ?? 0) / 1_000_000;
}

/** As it travels: JSON, so that what is undefined is not there. */
function plain(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}

function listDifferences(then: unknown, now: unknown, path = ''): string[] {
  if (isNode(then) && isNode(now) && Array.isArray(then) === Array.isArray(now)) {
    const keys = new Set([...Object.keys(then), ...Object.keys(now)]);
    return [...keys].flatMap(key =>
      listDifferences(then[key], now[key], path === '' ? key : `${path}.${key}`),
    );
  }
  if (then === now) return [];
  return [`${path} was ${JSON.stringify(then) ?? 'absent'} and is ${JSON.stringify(now) ?? 'absent'}`];
}

function isNode(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
