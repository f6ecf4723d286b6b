// How late it is by Temporal's clock, which may differ from that of this machine. Temporal tells that to
// nobody, but it tells when a queue was polled last: so this polls one, for a moment, into which nothing is
// ever put.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import { systemClock } from '../../activities/host/clock';

const QUEUE = 'drawbridge-what-time-is-it';
/** Temporal takes no poll that would end sooner than in two seconds. */
const POLL_FOR_MS = 4_000;
const LOOK_EVERY_MS = 20;
/** TASK_QUEUE_TYPE_ACTIVITY */
const ACTIVITIES = 2;
/** So long one reply counts: whoever looks at fifty shares asks once. A clock may be set meanwhile. */
const COUNTS_FOR_MS = 60_000;

interface Reply {
  /** By the monotonic clock of this process. */
  readonly askedMs: number;
  /** How far Temporal's clock is ahead of that one. */
  readonly aheadMs: Promise<number | undefined>;
}

const replies = new WeakMap<Client, Reply>();

/** Unix ms, early by as long as one request takes; undefined where Temporal does not say. Throws nothing. */
export async function askTemporalNow(client: Client): Promise<number | undefined> {
  const askedMs = systemClock.monotonicMs();
  const known = replies.get(client);
  const isKnown = known !== undefined && askedMs - known.askedMs < COUNTS_FOR_MS;
  const reply = isKnown ? known : { askedMs, aheadMs: askAhead(client) };
  replies.set(client, reply);
  const aheadMs = await reply.aheadMs;
  if (aheadMs !== undefined) return Math.floor(systemClock.monotonicMs() + aheadMs);
  replies.delete(client);
  return undefined;
}

async function askAhead(client: Client): Promise<number | undefined> {
  const nowMs = await pollAndLook(client);
  return nowMs === undefined ? undefined : nowMs - systemClock.monotonicMs();
}

async function pollAndLook(client: Client): Promise<number | undefined> {
  const identity = `what-time-is-it/${randomUUID()}`;
  const { namespace } = client.options;
  const taskQueue = { name: QUEUE };
  const over = new AbortController();
  const untilMs = systemClock.wallMs() + POLL_FOR_MS;
  const asking = client.withDeadline(untilMs, async () => {
    const poll = client.withAbortSignal(over.signal, () =>
      client.workflowService.pollActivityTaskQueue({ namespace, taskQueue, identity }),
    );
    poll.catch(() => over.abort());
    while (!over.signal.aborted) {
      const asked = { namespace, taskQueue, taskQueueType: ACTIVITIES };
      const { pollers } = await client.workflowService.describeTaskQueue(asked);
      const ours = pollers?.find(poller => poller.identity === identity);
      if (ours !== undefined) return optionalTsToMs(ours.lastAccessTime);
      await delay(LOOK_EVERY_MS);
    }
    return undefined;
  });
  return await asking.catch(() => undefined).finally(() => over.abort());
}
