// What Temporal answers when it is asked for its version, its namespace, and who asks it for work.
import type { Client } from '@temporalio/client';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import { systemClock } from '../../activities/host/clock';
import type { Config } from '../../workers/config/config';
import { isHttpApiClosed } from '../../workers/temporal/embedded-temporal';
import { SEARCH_ATTRIBUTES } from '../../workers/temporal/search-attributes';
import { findTemporalTarget } from '../../workers/temporal/temporal-connection';
import { SERVICE_TASK_QUEUE, taskQueuesOfShare } from '../../workflows/contract';
import { lookAtRuns, type SeenRuns } from '../resume/look-at-runs';
import { grpcCodeOf } from '../session/grpc-code';
import { type TemporalSession, withTemporal } from '../session/session';
import { askTemporalNow } from '../status/temporal-now';
import { areServed } from '../status/unserved';
import { type Asked, toWhy } from './finding';
import type { Skew } from './judge-clock';

const ASK_MS = 8_000;
/** Each run is asked. */
const ASK_RUNS_MS = 25_000;
/** gRPC */
const NOT_FOUND = 5;

export interface NamespaceFacts {
  readonly id: string;
  /** How long runs are remembered after their end; undefined when it is not told. */
  readonly retentionMs: number | undefined;
}

export type TemporalFacts =
  | { readonly kind: 'away'; readonly why: string }
  | {
      readonly kind: 'there';
      readonly address: string;
      readonly namespace: string;
      /** Undefined when it is not told. */
      readonly version: string | undefined;
      readonly found: Asked<NamespaceFacts | 'no such namespace'>;
      readonly missingAttributes: Asked<readonly string[]>;
      /** Whether workers ask for the work of the service, and of each share. */
      readonly serviceServed: Asked<boolean>;
      readonly sharesServed: ReadonlyMap<string, Asked<boolean>>;
      readonly runs: Asked<SeenRuns>;
      /** Undefined where it does not tell how late it is. */
      readonly clock: Skew | undefined;
      /** Of the embedded server; undefined of all others, and where it cannot be seen. */
      readonly isHttpApiClosed: boolean | undefined;
      readonly isEmbedded: boolean;
    };

/**
 * Whether `run` starts a server of its own. Not where the settings of a server cannot be read: there are some
 * then, and their fault is told with Temporal itself.
 */
export function isEmbedded(config: Pick<Config, 'temporal'>): boolean {
  try {
    return findTemporalTarget(config.temporal) === undefined;
  } catch {
    return false;
  }
}

export async function lookAtTemporal(config: Config, shares: readonly string[]): Promise<TemporalFacts> {
  try {
    return await withTemporal(config, async session => await lookAtSession(config, session, shares));
  } catch (error) {
    return { kind: 'away', why: toWhy(error) };
  }
}

async function lookAtSession(
  config: Config,
  { client, connection, target }: TemporalSession,
  shares: readonly string[],
): Promise<TemporalFacts> {
  const { address, namespace } = target;
  const asking = async <T>(question: () => Promise<T>, withinMs = ASK_MS): Promise<Asked<T>> =>
    await connection.withDeadline(systemClock.wallMs() + withinMs, question).then(
      value => ({ value }),
      (error: unknown) => ({ why: toWhy(error) }),
    );
  const { workflowService, operatorService } = connection;
  const [clock, system, found, missingAttributes, serviceServed, runs, ...served] = await Promise.all([
    // First: what the others are told of its clock counts for all, and must not be older than the question.
    lookAtClock(client),
    asking(async () => await workflowService.getSystemInfo({})),
    asking(async () => await workflowService.describeNamespace({ namespace }).then(toFacts, orNone)),
    asking(async () => {
      const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
      return SEARCH_ATTRIBUTES.filter(name => customAttributes[name] === undefined);
    }),
    asking(async () => await areServed(client, [SERVICE_TASK_QUEUE])),
    asking(async () => await lookAtRuns(client), ASK_RUNS_MS),
    ...shares.map(async share => await asking(async () => await areServed(client, taskQueuesOfShare(share)))),
  ]);
  const embedded = isEmbedded(config);
  const { database } = config.temporal.embedded;
  return {
    kind: 'there',
    address,
    namespace,
    version: 'value' in system ? (system.value.serverVersion ?? undefined) : undefined,
    found,
    missingAttributes,
    serviceServed,
    sharesServed: new Map(shares.map((share, at) => [share, served[at] ?? { why: 'not asked' }])),
    runs,
    clock,
    isHttpApiClosed: embedded && database !== undefined ? isHttpApiClosed(database) : undefined,
    isEmbedded: embedded,
  };
}

/** What it tells is from between the question and its answer. */
async function lookAtClock(client: Client): Promise<Skew | undefined> {
  const askedMs = systemClock.wallMs();
  const nowMs = await askTemporalNow(client);
  if (nowMs === undefined) return undefined;
  return { lowMs: nowMs - systemClock.wallMs(), highMs: nowMs - askedMs };
}

function toFacts({
  namespaceInfo,
  config,
}: Awaited<
  ReturnType<TemporalSession['connection']['workflowService']['describeNamespace']>
>): NamespaceFacts {
  return {
    id: namespaceInfo?.id ?? '',
    retentionMs: optionalTsToMs(config?.workflowExecutionRetentionTtl),
  };
}

function orNone(error: unknown): 'no such namespace' {
  if (grpcCodeOf(error) === NOT_FOUND) return 'no such namespace';
  throw error;
}
