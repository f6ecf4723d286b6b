// A stranger beside the whole product: worker, watcher and service. And what is planted in our own folder all
// the while, as can be where a mount gives everything one owner.
import { chmodSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isGone } from '../../activities/host/file-trouble';
import { Stage } from './fault-stage';
import {
  findBelow,
  findLeaks,
  hashOf,
  hide,
  judgeNeighbours,
  lookAtHidden,
  pathOf,
} from './neighbour-oracle';
import { PlantedFolders } from './neighbour-planted';
import { type NeighbourRun, taskFor, tell } from './neighbour-run';
import { Stranger } from './neighbour-stranger';
import { type Ending, judgeLateness, untilEnded } from './waiting';

/**
 * For what is left when the stranger ends, and on top of that as long as he was at it: a file that was
 * exchanged each time it was claimed is left alone, each time for about as long as all times before together.
 */
const PATIENCE_MS = 90_000;
/** Each becomes a revision, or is set apart with a reason. */
const MOST_FILES = { short: 40, long: 1_500 } as const;
const OTHERS = 3;

export async function tryService(input: NeighbourRun): Promise<void> {
  const { options, dist, folder, isOtherUser, ms } = input;
  const hidden = join(folder, 'hidden');
  const { names, files: before } = hide(hidden);
  const { temporalAddress } = options;
  // Files of one name in two folders, and copies: otherwise somebody is asked, and nobody answers here.
  const duplicates = { sameBytes: 'send', noOrder: 'send', earlier: 'send' };
  const stage = await Stage.open({ dist, temporalAddress, share: { duplicates } });
  try {
    const { shareFolder: root } = stage;
    // Everybody may pass to the share, and nobody look around on the way.
    chmodSync(stage.folder, 0o711);
    const drop = join(root, 'drop');
    const honest = dropForOthers(stage);
    chmodSync(drop, 0o777);
    const planted = new PlantedFolders(root);
    planted.plantAll();
    stage.startWorker();
    stage.startWatcher();
    const others = Array.from({ length: OTHERS }, (_, at) => join(drop, `others-${at}`));
    const mostFiles = MOST_FILES[options.form];
    const stranger = new Stranger(taskFor(input, root, { names, others, mostFiles }), isOtherUser);
    for (const endMs = performance.now() + ms; performance.now() < endMs; await delay(20)) {
      planted.plantMarks(stage.openBatches());
      planted.plantOneNowAndThen();
    }
    const report = await stranger.end();
    const withinMs = PATIENCE_MS + ms;
    const ending = await untilCarried(stage, planted, withinMs);
    if (ending.afterMs === undefined) input.object('15 everything ends', describe(stage, planted));
    for (const { invariant, what } of judgeLateness(ending, withinMs, input.name))
      input.object(invariant, what);
    const [files, revisions] = [await stage.control.files(), await stage.control.revisions()];
    const found = judgeNeighbours({
      before,
      after: lookAtHidden(hidden),
      leaked: findLeaks(root),
      received: files.map(({ sha256 }) => sha256),
      revisions: revisions.map(({ sha256 }) => sha256),
      planted: planted.hashes,
      honest,
      report,
    });
    for (const [invariant, what] of found) input.object(invariant, what);
    for (const what of planted.findTouched()) input.object('what is planted is left as it lies', what);
    if (!readLog(root).includes('batches-not-ours'))
      input.object('what is planted is told of', 'nothing of it stands in the log of the watcher');
    for (const seen of await stage.control.violations())
      input.object('what the service saw', JSON.stringify(seen).slice(0, 300));
    stage.requireProcesses();
    input.note(
      `${planted.hashes.length} folders planted; ${revisions.length} revisions, ${honest.size} of others; ${tell(report)}`,
    );
  } finally {
    await stage.close();
  }
}

function dropForOthers(stage: Stage): Map<string, string> {
  const honest = new Map<string, string>();
  for (let at = 0; at < OTHERS; at++) {
    for (const name of ['plan.pdf', 'section.pdf', 'schedule.pdf']) {
      // Names of their own: a document that waits behind another one of its name,
      // which is held, waits by right.
      const path = `others-${at}/of-others-${at}-${name}`;
      const content = `%PDF of others ${path}`;
      stage.drop(path, content);
      honest.set(path, hashOf(content));
    }
  }
  return honest;
}

/** Until nothing of anybody waits but what was planted. */
async function untilCarried(stage: Stage, planted: PlantedFolders, withinMs: number): Promise<Ending> {
  let quiet = 0;
  const isOver = (): boolean => {
    const isEmpty = filesIn(join(stage.shareFolder, 'drop'))?.length === 0;
    quiet = isEmpty && openOf(stage, planted).length === 0 ? quiet + 1 : 0;
    return quiet >= 5;
  };
  return await untilEnded({ isOver, withinMs, lookEveryMs: 100 });
}

function openOf(stage: Stage, planted: PlantedFolders): string[] {
  return stage.openBatches().filter(batchId => !planted.has(batchId));
}

function readLog(root: string): string {
  return readFileSync(join(root, '..', 'watch-2.log'), 'utf8');
}

/** Undefined while folders in it come and go. */
function filesIn(folder: string): string[] | undefined {
  try {
    return findBelow(folder).map(entry => relative(folder, pathOf(entry)));
  } catch (error) {
    if (!isGone(error)) throw error;
    return undefined;
  }
}

/** What still waits, and what was said last: in one line, for that is what stands at the end of a log. */
function describe(stage: Stage, planted: PlantedFolders): string {
  const { shareFolder: root } = stage;
  const batches = openOf(stage, planted).map(batchId => {
    const folder = join(root, '.drawbridge/batches', batchId);
    return `${batchId}: ${[...whyOpen(folder), ...(filesIn(folder) ?? [])].join(', ')}`;
  });
  const log = readLog(root).trimEnd().split('\n').slice(-5);
  return [...(filesIn(join(root, 'drop')) ?? []), ...batches, ...log].join(' | ');
}

/** What its receipt so far says of those that have no outcome. */
function whyOpen(folder: string): string[] {
  try {
    const { files } = JSON.parse(readFileSync(join(folder, 'receipt-so-far.json'), 'utf8')) as {
      files: readonly { path: string; outcome: string; reason?: { text: string } }[];
    };
    return files
      .filter(({ outcome }) => outcome === 'open' || outcome === 'held')
      .map(({ path, outcome, reason }) => `${path} ${outcome}: ${reason?.text ?? 'without a reason'}`);
  } catch (error) {
    return [`no receipt so far (${error instanceof Error ? error.message : String(error)})`];
  }
}
