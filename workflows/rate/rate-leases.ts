// Hands out the rate limit of an account to the hosts that use it. Runs only where there is more than
// one, and only while they have work.
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  patched,
  setHandler,
  upsertMemo,
} from '@temporalio/workflow';
import { isLong } from '../run/history-length';
import { explainFaults, parseInput } from '../run/parse-input';
import { askLease, isIdle, isOfLongerWindow, LEASE_MS, NO_LEASES } from './decide/rate-leases';
import {
  CALLS,
  leaseQuestion,
  leaseUpdate,
  type RateLeasesInput,
  rateLeasesInput,
} from './rate-leases-contract';

const EXAMPLE = {};
const EXAMPLE_QUESTION = { host: 'a1b2c3d4', want: 1, uses: 0, isNew: false, limit: 25, periodMs: 10_000 };
/** Least time between two calls: a called host asks again within seconds, or its lease ends. */
const CALL_EVERY_MS = 10_000;

/** Ends by itself once nobody has asked for the time of a lease or two. */
export async function rateLeasesWorkflow(rawInput: RateLeasesInput): Promise<void> {
  const { carried, continueAfterEvents } = parseInput(rateLeasesInput, rawInput, EXAMPLE);
  let state = (carried as RateLeasesInput['carried']) ?? NO_LEASES;
  let calls = 0;
  let calledAtMs = 0;
  setHandler(
    leaseUpdate,
    question => {
      const nowMs = Date.now();
      const keepsWindow = !isOfLongerWindow(state, question) || patched('longer-windows-passed-over');
      const asked = askLease(state, question, nowMs, keepsWindow);
      state = asked.state;
      if (asked.isCalling && nowMs - calledAtMs >= CALL_EVERY_MS) {
        calledAtMs = nowMs;
        calls += 1;
        upsertMemo({ [CALLS]: calls });
      }
      return asked.reply;
    },
    {
      validator: question => {
        const asked = leaseQuestion.safeParse(question);
        if (!asked.success) throw new Error(explainFaults(asked.error, EXAMPLE_QUESTION));
      },
      description: 'A host asks for its part of the rate limit.',
    },
  );
  const shallGoOn = () => isLong(continueAfterEvents) && allHandlersFinished();
  while (!(await condition(shallGoOn, 2 * LEASE_MS))) {
    if (isIdle(state, Date.now()) && allHandlersFinished()) return;
  }
  await continueAsNew<typeof rateLeasesWorkflow>({
    ...(continueAfterEvents === undefined ? {} : { continueAfterEvents }),
    carried: state,
  });
}
