// What a batch of a hundred documents waits for in the part `long-waits`: how it begins,
// what people do meanwhile, its end.

import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { answerUpdate } from '../../workflows/ingest/answer-contract';
import { type BatchProgress, progressQuery } from '../../workflows/ingest/ingest-contract';
import type { FaultOrder } from '../sandbox/control';
import { RUNNING_BATCHES } from './fault-people';
import type { Stage } from './fault-stage';
import type { Evidence } from './judge-evidence';
import type { Bound } from './long-waits-cost';

export interface Waiting {
  readonly name: string;
  readonly share?: Record<string, unknown>;
  /** In the long form only. */
  readonly isLong?: boolean;
  /** Of a wait of minutes: its length by the worker's time, of which so many milliseconds pass in one. */
  readonly clock?: { readonly hours: number; readonly scale: number };
  /** So many requests a day at least show that it was waited for by the clock; one in all its days always. */
  readonly leastRequestsADay: number;
  /** What it may cost in the short form. */
  readonly bound?: Bound;
  /** Of so many files; default: one name for each. */
  nameFiles?(count: number): readonly string[];
  /** Before anything is dropped. */
  prepare(stage: Stage, names: readonly string[]): Promise<void>;
  isWaiting(stage: Stage): Promise<boolean>;
  meanwhile?(stage: Stage, span: { readonly fromMs: number; readonly toMs: number }): Promise<void>;
  /** Whatever it waits for is over. */
  end(stage: Stage, names: readonly string[]): Promise<void>;
  /** What must not have been, besides what the judge sees. */
  readonly find?: (evidence: Evidence) => readonly string[];
}

/**
 * One an hour. By the schedule there are some twenty, but with a clock this fast each comes late, and the
 * later the busier the machine is.
 */
const LEAST_TRIES_A_DAY = 24;

/**
 * About twice the most that the short form was seen to cost, in eight runs beside other parts and by what
 * docs/figures.md tells of a machine with nothing else to do: a bound that is many times as wide lets a
 * waiting become as dear again without a word. What all documents wait for together is tried some twenty
 * times an hour by the schedule; 12 requests in an hour are the most that came, 297 in a day.
 */
const TRIES = { requestsADay: 600, requestsAnHour: 30 };
/**
 * The batch waits without an event. 11 or 12 are the look that the project's coordinator takes once a day;
 * two of them may fall into 24 hours.
 */
const NO_EVENTS: Bound = { eventsADay: 40, ...TRIES };
/** The batch has events as well, the more of them the more tries come: 42 in all, 72 on such a machine. */
const SOME_EVENTS: Bound = { eventsADay: 150, ...TRIES };
/**
 * A 500 may be the fault of one document: a batch is tried in halves, and these in halves again. 78 events,
 * 518 requests, 94 in an hour, which is a second here; 639 and 102 in one run since.
 */
const IN_HALVES: Bound = { eventsADay: 160, requestsADay: 1_000, requestsAnHour: 190 };
/**
 * In halves as well, and less dear: 16 events, 214 requests, 39 in an hour, on a machine with much to do; 384
 * and 70 where tries come in time, 388 and 108 in one run. By the schedule the first hour has 77 with each
 * pause at its mean, and 137 if each were as short as may be: more is a fault.
 */
const AT_STEP_4: Bound = { eventsADay: 40, requestsADay: 600, requestsAnHour: 138 };

/**
 * All strands are tried together, by one activity after the other: 137 events, 99 requests, 9 in an hour, on
 * a machine with much to do. Each by itself, they cost 1,509, 717 and 51 there.
 */
const BY_NAME: Bound = { eventsADay: 400, ...TRIES };

/** Who stands in line looks every few hours whether it is told of everything: 262 events, 6 requests. */
const IN_LINE: Bound = { eventsADay: 520, requestsADay: 20, requestsAnHour: 10 };

/** A file counts as late after ten minutes, if one that came later was released before it. */
const SCANNED_AFTER_MS = 25 * 60_000;
/** Of the stand-in, and then of the worker as well: both have waited for 25 minutes at the same time. */
const CLOCK_OF_BOTH = 100;
/**
 * Two looks in half a minute for ten minutes and one a minute after that are 55, then one at each file when
 * the first is released, and some ten for the whole batch: 95 with 30 files, 165 with the hundred of the long
 * form. The events are those of the batch from there on.
 */
const OF_A_SCAN: Bound = { eventsADay: 200, requestsADay: 220, requestsAnHour: 220 };
/** As fast as the stand-in, the worker takes the settings of a share as they are made for people. */
const PLAIN_TIMES = {
  analysis: { firstLook: '5s', every: '8s', typical: '28s', for: '3m' },
  lookAgain: { every: '10s', for: '30s' },
};

/** What the one document of a line is called. */
const OF_THE_LINE = 'sheet';

export const WAITINGS: readonly Waiting[] = [
  {
    ...outageOf('Step 8 answers 503', { route: 'revisions.create', action: { kind: 'status', status: 503 } }),
    bound: SOME_EVENTS,
  },
  {
    ...outageOf('Step 5 answers 502', { route: 'files.create', action: { kind: 'status', status: 502 } }),
    bound: NO_EVENTS,
  },
  {
    ...outageOf('Step 4 answers 500', {
      route: 'uploads.create',
      action: { kind: 'status', status: 500, reasonCode: 'INTERNAL_ERROR' },
    }),
    bound: AT_STEP_4,
  },
  {
    ...outageOf('Step 6 answers 500', {
      route: 'uploads.patch',
      action: { kind: 'status', status: 500, reasonCode: 'INTERNAL_ERROR' },
    }),
    bound: IN_HALVES,
  },
  {
    ...outageOf('Step 6 answers 503', { route: 'uploads.patch', action: { kind: 'status', status: 503 } }),
    bound: NO_EVENTS,
  },
  {
    ...outageOf('Step 8 answers 429 and a second', {
      route: 'revisions.create',
      action: { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
    }),
    bound: NO_EVENTS,
  },
  {
    ...outageOf('all answer 429 and a second', {
      route: 'api:*',
      skip: 40,
      action: { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
    }),
    isLong: true,
  },
  {
    name: 'authentication is away',
    leastRequestsADay: LEAST_TRIES_A_DAY,
    bound: NO_EVENTS,
    prepare: async ({ control }) => {
      // Slow enough that it is met in the middle of everything.
      await control.addFault({ route: 'storage.put', times: 0, action: { kind: 'delay', ms: 200 } });
    },
    isWaiting: async ({ control }) => {
      const { 'storage.put': sent = 0, 'oauth.token': asked = 0 } = await control.requests();
      if (sent < 10) return false;
      if (asked > 3) return true;
      await control.addFault({ route: 'oauth.token', times: 0, action: { kind: 'status', status: 503 } });
      await control.expireTokens();
      return false;
    },
    end: async ({ control }) => control.clearFaults(),
  },
  {
    name: 'the scanner is 25 minutes late',
    clock: { hours: 0.5, scale: CLOCK_OF_BOTH },
    share: PLAIN_TIMES,
    // Twenty in its half hour.
    leastRequestsADay: 960,
    bound: OF_A_SCAN,
    prepare: async ({ control }) => {
      await control.configure({ scanMs: SCANNED_AFTER_MS });
    },
    isWaiting: async ({ control, dropped }) => {
      const sent = (await control.files()).filter(({ state }) => state === 'complete');
      return sent.length === dropped.length;
    },
    end: async () => undefined,
    find: findSentTwice,
  },
  {
    name: 'policy wait and a standing conflict',
    isLong: true,
    share: { conflict: 'wait' },
    leastRequestsADay: 5,
    prepare: startWorkflows,
    isWaiting: areAllHeld,
    end: endWorkflows,
  },
  {
    // Answered one by one, they go on in as many strands, and the service fails for each by its name.
    name: 'Step 8 fails by name, each in a strand of its own',
    share: { conflict: 'ask' },
    leastRequestsADay: LEAST_TRIES_A_DAY,
    bound: BY_NAME,
    prepare: startWorkflows,
    isWaiting: isEachNamed,
    end: async ({ control }) => control.clearFaults(),
  },
  {
    // All of them are revisions of one document, and the first of them cannot be submitted.
    name: 'a line behind one whose conflict stands',
    share: { conflict: 'wait', fileNamePattern: `^(?<Name>${OF_THE_LINE})_(?<Revision>\\d+)\\.pdf$` },
    // Six by the schedule, and on a machine with much to do the first of them may come after the day.
    leastRequestsADay: 0,
    bound: IN_LINE,
    nameFiles: count => Array.from({ length: count }, (_, n) => `${OF_THE_LINE}_${n}.pdf`),
    prepare: async stage => await startWorkflows(stage, [OF_THE_LINE]),
    isWaiting: isLineHeld,
    end: async stage => await endWorkflows(stage, [OF_THE_LINE]),
  },
  {
    name: 'a hundred held, answered one by one',
    isLong: true,
    share: { conflict: 'ask' },
    leastRequestsADay: 5,
    prepare: startWorkflows,
    isWaiting: areAllHeld,
    meanwhile: answerOneByOne,
    end: async () => undefined,
  },
];

function outageOf(name: string, fault: FaultOrder): Waiting {
  return {
    name,
    leastRequestsADay: LEAST_TRIES_A_DAY,
    prepare: async ({ control }) => {
      await control.addFault({ ...fault, times: 0 });
    },
    isWaiting: async ({ control }) => (await control.faults()).some(({ fired }) => fired > 3),
    end: async ({ control }) => control.clearFaults(),
  };
}

/** That a file is late is the scanner's fault: its bytes are there, and lie there well. */
function findSentTwice({ operations }: Evidence): readonly string[] {
  const sent = new Map<string, number>();
  for (const { what, detail } of operations) {
    const fileName = String(detail?.fileName);
    if (what === 'segment-stored') sent.set(fileName, (sent.get(fileName) ?? 0) + 1);
  }
  return [...sent].flatMap(([fileName, count]) => (count > 1 ? [`${fileName} was sent ${count} times`] : []));
}

async function startWorkflows({ control, project }: Stage, names: readonly string[]): Promise<void> {
  for (const name of names) await control.edit(project.projectId, { kind: 'start-workflow', name });
}

async function endWorkflows({ control, project }: Stage, names: readonly string[]): Promise<void> {
  for (const name of names) await control.edit(project.projectId, { kind: 'end-workflow', name });
}

async function areAllHeld(stage: Stage): Promise<boolean> {
  const { documents = 0, held = [] } = (await askProgress(stage)) ?? {};
  // None are known before the batch is open.
  return documents > 0 && held.length === documents;
}

/** One is held, and all others wait for it. */
async function isLineHeld(stage: Stage): Promise<boolean> {
  const { documents, held = [], inLine = [] } = (await askProgress(stage)) ?? {};
  return held.length === 1 && held.length + inLine.length === documents;
}

/**
 * So often each is named on the average before what it costs is counted: five times as what may be its own
 * trouble, and then as it is waited for.
 */
const NAMED_BEFORE = 7;

/** Held first, and answered once all of them are. */
async function isEachNamed(stage: Stage): Promise<boolean> {
  const { control, dropped } = stage;
  const [fault] = await control.faults();
  if (fault !== undefined) return fault.fired >= NAMED_BEFORE * dropped.length;
  if (!(await areAllHeld(stage))) return false;
  await control.addFault({
    route: 'revisions.create',
    times: 0,
    action: { kind: 'item-failure', reasonCode: 'UNKNOWN_FAILURE' },
  });
  const now = Date.now();
  await answerOneByOne(stage, { fromMs: now, toMs: now });
  return false;
}

async function askProgress(stage: Stage): Promise<BatchProgress | undefined> {
  const handle = await findRun(stage);
  return handle === undefined ? undefined : ((await handle.query(progressQuery)) as BatchProgress);
}

/** Evenly over the whole time, as people come to it. */
async function answerOneByOne(
  stage: Stage,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<void> {
  const handle = await findRun(stage);
  if (handle === undefined) throw new Error('Nothing runs that could be answered');
  const { held } = (await handle.query(progressQuery)) as BatchProgress;
  await endWorkflows(
    stage,
    held.map(({ path }) => path),
  );
  for (const [position, { index }] of held.entries()) {
    await delay(Math.max(0, fromMs + (position * (toMs - fromMs)) / held.length - Date.now()));
    await handle.executeUpdate(answerUpdate, { args: [{ document: index, decision: 'retry' }] });
  }
}

async function findRun({ client }: Stage): Promise<WorkflowHandle | undefined> {
  for await (const run of client.workflow.list({ query: RUNNING_BATCHES })) {
    return client.workflow.getHandle(run.workflowId);
  }
  return undefined;
}
