// Troubles of the share and of the processes around it, each in the middle of a batch and then cured:
// everything ends, nothing is lost, overwritten or doubled. With real mounts where the process may mount.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ProductProcess } from './fault-process';
import { Stage, type StageOptions } from './fault-stage';
import { judge } from './judge';
import { collectEvidence } from './judge-evidence';
import type { ChaosPart, PartOptions, PartResult, Violation } from './part';
import { MEMORY_BYTES, Mount, type MountKind, whyNoFileInUse, whyNoMount } from './share-mounts';
import { type Ending, judgeLateness, untilEnded } from './waiting';

export const shareTroubles: ChaosPart = {
  name: 'share-troubles',
  about:
    'a share that is away, full, read-only or hangs; a full state folder; processes that are asked to end',
  run: runShareTroubles,
};

interface Scene {
  readonly stage: Stage;
  readonly mount: Mount | undefined;
  readonly options: PartOptions;
  /** Facts for the table. */
  note(fact: string): void;
  /** Something that must not be. */
  object(invariant: string, what: string): void;
  /** Until the stand-in has seen so many requests of this route. */
  untilRequests(route: string, count: number): Promise<void>;
}

interface Trouble {
  readonly name: string;
  readonly mount?: MountKind;
  /** What is mounted over; the share when absent. */
  readonly over?: 'state folder';
  /** Why it cannot be tried here, beside what its mount needs. */
  readonly whyNot?: () => string | undefined;
  readonly files?: number;
  readonly share?: StageOptions['share'];
  /** From the moment on when the files are dropped; ends with the trouble cured. */
  act(scene: Scene): Promise<void>;
}

/** The exit code of who is told twice, as shells have it for Ctrl-C. */
const ENDED_AT_ONCE = 130;
const FILES = 24;
/** Longer than an activity's heartbeat time-out (30 s): a hung share must not look like a dead worker. */
const HUNG_MS = 40_000;
const AWAY_MS = 6_000;
const PATIENCE_MS = 150_000;
const CLAIMED_WITHIN_MS = 30_000;

const TROUBLES: readonly Trouble[] = [
  {
    name: 'the mount hangs',
    mount: 'passthrough',
    act: async ({ stage, mount, untilRequests, note, object }) => {
      await untilRequests('storage.put', 4);
      mount?.hang();
      await delay(HUNG_MS);
      const timedOut = await countTimeouts(stage);
      mount?.answer();
      note(`hung for ${HUNG_MS / 1_000} s, ${timedOut} activities timed out`);
      if (timedOut > 0) object('a hung mount does not stop heartbeats', `${timedOut} activities timed out`);
    },
  },
  {
    name: 'unmounted and mounted again',
    mount: 'bind',
    act: async ({ mount, untilRequests }) => {
      await untilRequests('storage.put', 4);
      mount?.unmount();
      await delay(AWAY_MS);
      await mount?.mount();
    },
  },
  {
    name: 'read-only for a while',
    mount: 'bind',
    act: async ({ mount, untilRequests }) => {
      await untilRequests('storage.put', 4);
      await mount?.setReadOnly(true);
      await delay(AWAY_MS);
      await mount?.setReadOnly(false);
    },
  },
  {
    name: 'full for a while',
    mount: 'memory',
    act: async ({ stage, untilRequests, note }) => {
      await untilRequests('storage.put', 4);
      const filler = join(stage.shareFolder, 'filler.bin');
      note(`${Math.round(fill(filler) / 1_024)} KiB filled`);
      await delay(AWAY_MS);
      rmSync(filler);
    },
  },
  {
    name: 'the disk of the state folder is full for a while',
    mount: 'memory',
    over: 'state folder',
    act: async ({ stage, untilRequests, note, object }) => {
      await untilRequests('storage.put', 4);
      const filler = join(stage.stateFolder, 'filler.bin');
      rmSync(join(stage.stateFolder, 'temporals.json'));
      note(`${Math.round(fill(filler) / 1_024)} KiB filled`);
      // One that starts now cannot note whom it works for.
      await stage.watcher?.kill();
      stage.startWatcher();
      // On a busy machine that takes its time.
      await until(() => stage.watcher?.hasSaid('watch-started') === true, PATIENCE_MS);
      stage.drop('meanwhile.pdf', '%PDF meanwhile', { healthy: true });
      const isClaimed = await until(
        () => !existsSync(join(stage.shareFolder, 'drop', 'meanwhile.pdf')),
        CLAIMED_WITHIN_MS,
      );
      if (!isClaimed) object('files are claimed while the state folder is full', 'not within the time given');
      // What is obtained now cannot be stored.
      await stage.control.expireTokens();
      await delay(AWAY_MS);
      rmSync(filler);
    },
  },
  {
    name: 'no hard links, and names that know no case',
    mount: 'exfat',
    act: async ({ stage, untilRequests }) => {
      await untilRequests('revisions.create', 1);
      // The names of documents that are in `done` by then, or on their way there.
      for (const path of ['SHEET-1.PDF', 'sheet-2.pdf'])
        stage.drop(path, `%PDF again ${path}`, { healthy: true });
    },
  },
  {
    name: 'a file in use',
    whyNot: whyNoFileInUse,
    act: async ({ stage, untilRequests, note, object }) => {
      stage.drop('in-use.pdf', '%PDF in use', { healthy: true });
      const path = join(stage.shareFolder, 'drop', 'in-use.pdf');
      // Nobody may rename it, as with a file that is open on SMB.
      execFileSync('chattr', ['+i', path]);
      let log: string;
      try {
        await untilRequests('revisions.create', 1);
        await delay(AWAY_MS / 2);
        log = readFileSync(join(stage.folder, 'watch-2.log'), 'utf8');
      } finally {
        // Nobody could clean up otherwise.
        execFileSync('chattr', ['-i', path]);
      }
      const said = log.split('\n').filter(line => line.includes('in-use.pdf')).length;
      note(`said ${said} times while in use`);
      if (said > 3) object('a file in use is said once', `${said} lines about it`);
    },
  },
  {
    name: 'twins by case in one drop',
    // Nobody answers here: which of them comes first is otherwise asked.
    share: { duplicates: { noOrder: 'send' } },
    act: async ({ stage }) => {
      for (const path of ['Twin.pdf', 'twin.pdf', 'TWIN.PDF'])
        stage.drop(path, `%PDF ${path}`, { healthy: true });
    },
  },
  {
    name: 'asked to end in the middle of a transfer',
    act: async ({ stage, untilRequests, note, object }) => {
      await untilRequests('storage.put', 4);
      const [first] = stage.workers;
      const second = stage.startWorker();
      const began = performance.now();
      const puts = await countRequests(stage, 'storage.put');
      await first?.stop();
      const endedMs = performance.now() - began;
      // On a busy machine it begins long after the first has ended.
      await until(() => second.hasSaid('worker-started'), PATIENCE_MS);
      const taken = performance.now();
      await untilRequests('storage.put', puts + 3);
      const goneOnMs = performance.now() - taken;
      note(
        `ended after ${toSeconds(endedMs)}, the next one went on ${toSeconds(goneOnMs)} after it was there`,
      );
      if (goneOnMs > 20_000)
        object('takes at most 20 s until what is handed back goes on', `it took ${toSeconds(goneOnMs)}`);
      if (!second.isRunning) object('the second worker runs', 'it has ended');
    },
  },
  {
    name: 'told twice to end',
    act: async ({ stage, untilRequests, note, object }) => {
      await untilRequests('storage.put', 4);
      const [worker] = stage.workers;
      if (worker === undefined) return;
      // It has often ended by the first. What a busy process hears in one moment is one signal to it, so who
      // insists says it again, each time later than a Ctrl-C that came by two ways.
      let signals = 0;
      for (; worker.isRunning && signals < 20; signals += 1) {
        worker.tellToEnd();
        await Promise.race([worker.ended(), delay(750)]);
      }
      note(`ended by signal ${signals}`);
      // Where it gets no processor for seconds, its exit code still says that it was the second one.
      if (signals > 4 && worker.exitCode !== ENDED_AT_ONCE)
        object('a second signal ends at once', `it took ${signals}, exit code ${worker.exitCode}`);
      if (worker.isRunning) await worker.stop();
      stage.startWorker();
    },
  },
  {
    name: 'three watchers and two workers on one share, one killed',
    files: 300,
    act: async ({ stage, options, untilRequests }) => {
      const others = ['watch-b', 'watch-c'].map(name =>
        startProcess(stage, options, 'watch', stage.folder, name),
      );
      stage.startWorker();
      await untilRequests('storage.put', 30);
      await stage.workers[0]?.kill();
      stage.startWorker();
      await untilSettled(stage);
      for (const watcher of others) await watcher.stop();
    },
  },
  {
    name: 'a worker that does not see the share',
    act: async ({ stage, options, note, object }) => {
      const folder = join(stage.folder, 'elsewhere');
      mkdirSync(folder);
      cpSync(join(stage.folder, 'drawbridge.json'), join(folder, 'drawbridge.json'));
      const other = startProcess(stage, options, 'worker', folder, 'worker-elsewhere');
      await untilSettled(stage);
      const log = readFileSync(join(folder, 'worker-elsewhere.log'), 'utf8');
      const said = log.split('\n').filter(line => line.includes('share-unusable')).length;
      note(`it said ${said} time that it cannot use the share`);
      if (said !== 1) object('a share that is not seen is said once', `${said} lines about it`);
      if (!other.isRunning) object('it serves the service all the same', 'it has ended');
      await other.stop();
    },
  },
];

async function runShareTroubles(options: PartOptions): Promise<PartResult> {
  const chosen = TROUBLES.filter(({ name }) => options.only === undefined || name.includes(options.only));
  const notRun = new Map(
    chosen.flatMap(({ name, mount, whyNot }): [string, string][] => {
      const why = (mount === undefined ? undefined : whyNoMount(mount)) ?? whyNot?.();
      return why === undefined ? [] : [[name, why]];
    }),
  );
  const violations: Violation[] = [];
  const facts: string[] = [];
  const queue = chosen.filter(({ name }) => !notRun.has(name));
  const cases = queue.length;
  const runners = Array.from({ length: Math.min(6, options.atOnce) }, async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { name } = next;
      const outcome = await tryOne(next, options);
      violations.push(...outcome.violations);
      facts.push(...outcome.facts.map(fact => `  ${name}: ${fact}`));
      options.say(`  ${outcome.violations.length === 0 ? 'ended well' : 'ended badly'}: ${name}`);
    }
  });
  await Promise.all(runners);
  return {
    cases,
    violations,
    figures: {
      'with real mounts': chosen.filter(({ name, mount }) => mount !== undefined && !notRun.has(name)).length,
      'not run': [...notRun].map(([name, why]) => `${name} (${why})`).join('; ') || 'none',
    },
    tables: facts,
  };
}

async function tryOne(
  trouble: Trouble,
  options: PartOptions,
): Promise<{ readonly violations: readonly Violation[]; readonly facts: readonly string[] }> {
  const violations: Violation[] = [];
  const facts: string[] = [];
  const object = (invariant: string, what: string): void => {
    violations.push({ invariant, case: trouble.name, what });
  };
  const { dist, temporalAddress } = options;
  const { share = {} } = trouble;
  const stage = await Stage.open({ dist, temporalAddress, share });
  let mount: Mount | undefined;
  try {
    const folder = trouble.over === undefined ? stage.shareFolder : stage.stateFolder;
    if (trouble.mount !== undefined) mount = await Mount.over(folder, trouble.mount);
    await stage.control.addFault({ route: 'storage.put', times: 0, action: { kind: 'delay', ms: 150 } });
    for (let n = 1; n <= (trouble.files ?? FILES); n++) {
      stage.drop(`sheet-${n}.pdf`, `%PDF ${n}`, { healthy: true });
    }
    stage.startWorker();
    stage.startWatcher();
    await trouble.act({
      stage,
      mount,
      options,
      object,
      note: fact => void facts.push(fact),
      untilRequests: async (route, count) => {
        // Late is no hang, here as at the end (waiting.ts).
        const deadline = performance.now() + 2 * PATIENCE_MS;
        while ((await countRequests(stage, route)) < count) {
          if (performance.now() > deadline) throw new Error(`There were not ${count} requests of ${route}`);
          await delay(20);
        }
      },
    });
    const ending = await untilSettled(stage);
    if (ending.afterMs === undefined) object('15 everything ends', 'not within twice the time given');
    violations.push(...judgeLateness(ending, PATIENCE_MS, trouble.name));
    const evidence = await collectEvidence(stage.control, stage.shareFolder, stage.dropped);
    violations.push(
      ...judge(evidence, {
        mode: 'at-rest',
        case: trouble.name,
        // The trouble, and what ends with it.
        ...stage.judgement(evidence, { interruptions: 2 }),
      }),
    );
  } catch (error) {
    object('the case runs', error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    await stage.killAll();
    mount?.close();
    await stage.close();
  }
  return { violations, facts };
}

async function until(isSo: () => boolean, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!isSo() && performance.now() < deadline) await delay(50);
  return isSo();
}

async function untilSettled(stage: Stage): Promise<Ending> {
  let settledFor = 0;
  return await untilEnded({
    // A claim is a rename: for an instant a file is neither in the drop nor in a batch that we have listed.
    isOver: () => settledFor >= 5,
    withinMs: PATIENCE_MS,
    lookEveryMs: 100,
    meanwhile: () => {
      settledFor = stage.isSettled ? settledFor + 1 : 0;
    },
  });
}

async function countRequests(stage: Stage, route: string): Promise<number> {
  return (await stage.control.requests())[route] ?? 0;
}

/** Activity tasks that timed out so far, attempts that are being repeated included. */
async function countTimeouts(stage: Stage): Promise<number> {
  let count = 0;
  for await (const run of stage.client.workflow.list({ query: `WorkflowType = 'ingestBatchWorkflow'` })) {
    const { raw } = await stage.client.workflow.getHandle(run.workflowId).describe();
    for (const { lastFailure } of raw.pendingActivities ?? []) {
      if (lastFailure?.timeoutFailureInfo) count++;
    }
    const { events } = await stage.client.workflow.getHandle(run.workflowId).fetchHistory();
    count += (events ?? []).filter(event => event.activityTaskTimedOutEventAttributes).length;
  }
  return count;
}

function startProcess(
  stage: Stage,
  { dist, temporalAddress }: PartOptions,
  command: 'worker' | 'watch',
  folder: string,
  name: string,
): ProductProcess {
  return new ProductProcess({ command, dist, folder, temporalAddress, namespace: stage.namespace, name });
}

/** Writes until nothing more goes in. @returns how many bytes that took. */
function fill(path: string): number {
  let bytes = 0;
  for (const size of [4 * 1_024 * 1_024, 4 * 1_024]) {
    try {
      for (;;) {
        // Nothing is mounted there: this would fill the machine's own disk.
        if (bytes > MEMORY_BYTES) throw new Error(`${path} is on no small disk of its own`);
        writeFileSync(path, Buffer.alloc(size), { flag: 'a' });
        bytes += size;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
  return bytes;
}

function toSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
