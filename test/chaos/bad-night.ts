// One batch through one bad night: most of the cells that decide trust, each once, in a fixed order.
// Small enough to be run again for every bug that is put in on purpose, and to be read from
// beginning to end in the stand-in's log.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ingestWorkflowId } from '../../workflows/contract';
import type { FaultOrder } from '../sandbox/control';
import { DEFAULT_CREDENTIALS, DEFAULT_PROJECTS } from '../sandbox/defaults';
import { FAST_SHARE, Rig } from '../setup/rig';
import { WorkerProcess } from '../setup/worker-process';
import { giveWay } from './give-way';
import { judge } from './judge';
import { collectEvidence, type DroppedFile } from './judge-evidence';
import { excusedRemarks } from './judge-rules-remarks';
import type { Violation } from './part';
import { countStrikes, mostRequestsOf } from './request-budget';
import { type Ending, judgeLateness, untilEnded } from './waiting';

/**
 * What becomes of each document, told by its name. `healthy`: nothing speaks against its becoming a revision.
 */
const DOCUMENTS: Readonly<Record<string, { readonly healthy: boolean; readonly fault?: FaultOrder }>> = {
  'quiet-1.pdf': { healthy: true },
  'quiet-2.pdf': { healthy: true },
  'quiet-3.pdf': { healthy: true },
  'left-out-of-the-207.pdf': {
    healthy: true,
    fault: { route: 'uploads.patch', action: { kind: 'drop-from-207' } },
  },
  'left-out-as-well.pdf': {
    healthy: true,
    fault: { route: 'uploads.patch', action: { kind: 'drop-from-207' } },
  },
  'failed-in-the-207.pdf': {
    healthy: true,
    fault: { route: 'uploads.patch', action: { kind: 'fail-in-207' } },
  },
  'duplicate.pdf': {
    healthy: false,
    fault: {
      route: 'revisions.create',
      times: 0,
      action: { kind: 'request-refusal', reasonCode: 'DUPLICATE_REVISION', named: false },
    },
  },
  'deleted-by-a-person.pdf': { healthy: false },
  'rewritten-underfoot.pdf': {
    healthy: false,
    fault: { route: 'files.create', action: { kind: 'delay', ms: 1_500, when: 'after' } },
  },
};

/** Faults of whole requests, in the order in which they strike. */
const FAULTS: readonly FaultOrder[] = [
  { route: 'requirements.list', action: { kind: 'redirect' } },
  { route: 'uploads.create', action: { kind: 'unavailable', retryAfter: 60 } },
  { route: 'storage.put', action: { kind: 'redirect' } },
  // It is late with the others of the 207: refused with them, and no part of the submission that is heard.
  { route: 'uploads.patch', match: { fileName: 'duplicate.pdf' }, action: { kind: 'drop-from-207' } },
  // The first submission is heard and its answer lost. The second, of all that are late, is refused without a
  // name; so is its first half, and what goes on of that is not heard at all.
  { route: 'revisions.create', match: { fileName: 'quiet-1.pdf' }, action: { kind: 'reply-lost' } },
  {
    route: 'revisions.create',
    match: { fileName: 'failed-in-the-207.pdf' },
    skip: 2,
    action: { kind: 'cut-request' },
  },
];

const OUTAGE_MS = 5_000;
const LOOK_EVERY_MS = 100;
const JUDGE_EVERY_MS = 4_000;
const PATIENCE_MS = 100_000;

export interface BadNightOptions {
  /** Root of the built product that is run. */
  readonly dist: string;
  readonly case: string;
}

/** Ends as soon as something is wrong, or when everything has ended. */
export async function runBadNight({ dist, case: name }: BadNightOptions): Promise<readonly Violation[]> {
  const rig = await Rig.start({
    // The analysis is given its time: the outage and the person fall into it.
    sandbox: { timeScale: 10, limits: null, analysisMs: [60_000, 90_000] },
    share: { analysis: { firstLook: 500, every: 500, typical: 6_000, for: 60_000 } },
  });
  const worker = new WorkerProcess(rig, { dist, env: { DRAWBRIDGE_LOGGING__LEVEL: 'debug' } });
  giveWay(worker.pid);
  try {
    for (const [fileName, { fault }] of Object.entries(DOCUMENTS)) {
      if (fault !== undefined) await rig.control.addFault({ ...fault, match: { fileName } });
    }
    for (const fault of FAULTS) await rig.control.addFault(fault);
    await rig.startWatcher();
    const night = new Night(rig, name, drop(rig));
    const ending = await night.run();
    return [...(await night.judgeAll()), ...judgeLateness(ending, PATIENCE_MS, name)];
  } finally {
    await worker.kill();
    await rig.close();
  }
}

function drop(rig: Rig): DroppedFile[] {
  const contents = Object.keys(DOCUMENTS).map((name): [string, string] => [name, `%PDF ${name}`]);
  const hashes = rig.dropFiles(Object.fromEntries(contents));
  return [...hashes].map(([path, sha256]) => ({
    path,
    sha256,
    healthy: DOCUMENTS[path]?.healthy === true,
    ...(path === 'rewritten-underfoot.pdf' ? { rewritten: [hashOf(REWRITTEN)] } : {}),
  }));
}

const REWRITTEN = '%PDF REWRITTEN-underfoot.pdf';

class Night {
  readonly #rig: Rig;
  readonly #case: string;
  readonly #dropped: readonly DroppedFile[];
  /** What people and the network do once the log says that the moment has come. */
  readonly #moments = new Map<string, () => Promise<void>>();
  #seen = 0;

  constructor(rig: Rig, name: string, dropped: readonly DroppedFile[]) {
    this.#rig = rig;
    this.#case = name;
    this.#dropped = dropped;
    this.#moments.set('file-created rewritten-underfoot.pdf', async () => this.#rewrite());
    this.#moments.set('upload-completed deleted-by-a-person.pdf', async () =>
      rig.control.edit(DEFAULT_PROJECTS.plain, {
        kind: 'delete-upload',
        fileName: 'deleted-by-a-person.pdf',
      }),
    );
    this.#moments.set('upload-completed quiet-1.pdf', async () => {
      await rig.control.setOutages({ api: 'refuse' });
      await delay(OUTAGE_MS);
      await rig.control.setOutages({ api: 'none' });
      await rig.control.expireTokens();
    });
  }

  async run(): Promise<Ending> {
    let judgedMs = performance.now();
    const happening: Promise<void>[] = [];
    const ending = await untilEnded({
      withinMs: PATIENCE_MS,
      lookEveryMs: LOOK_EVERY_MS,
      meanwhile: async () => void happening.push(...(await this.#watch())),
      isOver: async () => {
        if (await this.#hasEnded()) return true;
        if (performance.now() - judgedMs <= JUDGE_EVERY_MS) return false;
        judgedMs = performance.now();
        return await this.#isSomethingWrong();
      },
    });
    await Promise.all(happening);
    return ending;
  }

  async judgeAll(): Promise<readonly Violation[]> {
    return [...(await this.#judge('at-rest')), ...this.#judgeSecrets()];
  }

  /** A file that moves while the share is read can be missed: what is wrong is still so at a second look. */
  async #isSomethingWrong(): Promise<boolean> {
    const first = await this.#judge('underway');
    if (first.length === 0) return false;
    const wrong = new Set(first.map(({ what }) => what));
    return (await this.#judge('underway')).some(({ what }) => wrong.has(what));
  }

  async #judge(mode: 'underway' | 'at-rest'): Promise<readonly Violation[]> {
    const evidence = await collectEvidence(this.#rig.control, join(this.#rig.folder, 'share'), this.#dropped);
    // An outage, and tokens that end with it; what was deleted.
    const load = { interruptions: 2, deeds: 1, strikes: countStrikes(await this.#rig.control.faults()) };
    return judge(evidence, {
      mode,
      case: this.#case,
      projectId: DEFAULT_PROJECTS.plain,
      values: FAST_SHARE,
      mostRequests: mostRequestsOf(evidence, { workers: 1, ...load }),
      excused: excusedRemarks(load),
    });
  }

  /** The moments that have come since the last look; each goes on beside the others. */
  async #watch(): Promise<Promise<void>[]> {
    const operations = await this.#rig.control.operations(this.#seen);
    this.#seen = operations.at(-1)?.seq ?? this.#seen;
    return operations.flatMap(({ what, detail }) => {
      const moment = `${what} ${String(detail?.fileName)}`;
      const act = this.#moments.get(moment);
      this.#moments.delete(moment);
      if (act === undefined) return [];
      const acting = act();
      // Awaited at the end; until then a rejection must not count as unhandled.
      acting.catch(() => undefined);
      return [acting];
    });
  }

  async #hasEnded(): Promise<boolean> {
    const batchIds = this.#openBatches();
    const { project } = this.#rig.config.shares[0]!;
    for (const batchId of batchIds) {
      const handle = this.#rig.temporal.client.workflow.getHandle(ingestWorkflowId(project, batchId));
      const status = await handle.describe().then(
        ({ status: { name } }) => name,
        () => 'RUNNING',
      );
      // A run that ended without finishing its batch will not go on by itself.
      if (status !== 'RUNNING') return true;
    }
    return batchIds.length === 0 && this.#rig.receipts().length > 0;
  }

  #openBatches(): string[] {
    return readdirSync(join(this.#rig.folder, 'share', '.drawbridge', 'batches'));
  }

  #rewrite(): void {
    for (const batchId of this.#openBatches()) {
      const folder = join(this.#rig.folder, 'share', '.drawbridge', 'batches', batchId, 'files');
      writeFileSync(join(folder, 'rewritten-underfoot.pdf'), REWRITTEN);
    }
  }

  #judgeSecrets(): Violation[] {
    const log = readFileSync(join(this.#rig.folder, 'worker.log'), 'utf8');
    const tokens = this.#tokens();
    const isTold = [...tokens, DEFAULT_CREDENTIALS.clientSecret].some(secret => log.includes(secret));
    const tell = (what: string): Violation[] => [
      { invariant: '19 no secret is logged', case: this.#case, what },
    ];
    if (isTold) return tell('the worker logged a secret');
    return tokens.length === 0 ? tell('no token was ever fetched that could be looked for') : [];
  }

  #tokens(): string[] {
    const folder = join(this.#rig.folder, 'state', 'tokens');
    if (!existsSync(folder)) return [];
    const stores = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
      name.endsWith('.json'),
    );
    return stores.flatMap(name => {
      const { accessToken } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
        accessToken?: string;
      };
      return accessToken === undefined ? [] : [accessToken];
    });
  }
}

function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}
