// A stranger beside the whole product: worker, watcher and service. And what was planted in our own folder, as can be where a mount
// gives everything one owner.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from '../sandbox/defaults';
import { Stage } from './fault-stage';
import { findLeaks, hashOf, hide, judgeNeighbours, lookAtHidden } from './neighbour-oracle';
import { type NeighbourRun, taskFor, tell } from './neighbour-run';
import { Stranger } from './neighbour-stranger';

const PATIENCE_MS = 90_000;
/** Each becomes a revision, or is set apart with a reason. */
const MOST_FILES = { short: 40, long: 1_500 } as const;
const OTHERS = 3;

export async function tryService(input: NeighbourRun): Promise<void> {
  const { options, dist, folder, isOtherUser, ms } = input;
  const hidden = join(folder, 'hidden');
  const { names, files: before } = hide(hidden);
  const stage = await Stage.open({ dist, temporalAddress: options.temporalAddress });
  try {
    const { shareFolder: root } = stage;
    // Everybody may pass to the share, and nobody look around on the way.
    chmodSync(stage.folder, 0o711);
    const drop = join(root, 'drop');
    const honest = dropForOthers(stage);
    chmodSync(drop, 0o777);
    const planted = plant(root);
    plantMarks(root, planted.batchIds);
    stage.startWorker();
    stage.startWatcher();
    const others = Array.from({ length: OTHERS }, (_, at) => join(drop, `others-${at}`));
    const mostFiles = MOST_FILES[options.form];
    const stranger = new Stranger(taskFor(input, root, { names, others, mostFiles }), isOtherUser);
    await delay(ms);
    const report = await stranger.end();
    if (!(await untilCarried(stage, planted.batchIds))) input.object('15 everything ends', describe(root));
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
    for (const seen of await stage.control.violations())
      input.object('what the service saw', JSON.stringify(seen).slice(0, 300));
    stage.requireProcesses();
    input.note(`${revisions.length} revisions, ${honest.size} of others; ${tell(report)}`);
  } finally {
    await stage.close();
  }
}

function dropForOthers(stage: Stage): Map<string, string> {
  const honest = new Map<string, string>();
  for (let at = 0; at < OTHERS; at++) {
    for (const name of ['plan.pdf', 'section.pdf', 'schedule.pdf']) {
      // Names of their own: a document that waits behind another one of its name, which is held, waits by right.
      const path = `others-${at}/of-others-${at}-${name}`;
      const content = `%PDF of others ${path}`;
      stage.drop(path, content);
      honest.set(path, hashOf(content));
    }
  }
  return honest;
}

/** Batches as somebody writes them who knows everything but the key: of the share's project, and of another one. */
function plant(root: string): { readonly batchIds: readonly string[]; readonly hashes: readonly string[] } {
  const batchIds: string[] = [];
  const hashes: string[] = [];
  for (const [at, projectId] of [DEFAULT_PROJECTS.plain, '999'].entries()) {
    const batchId = `20260131-09300${at}-aaaaaa`;
    const folder = join(root, '.drawbridge', 'batches', batchId);
    mkdirSync(join(folder, 'files'), { recursive: true });
    const content = `%PDF planted ${at}`;
    const path = join(folder, 'files', 'planted.pdf');
    writeFileSync(path, content);
    const manifest = {
      version: 1,
      batchId,
      share: 'tender',
      project: { companyId: DEFAULT_COMPANY_ID, projectId },
      createdAt: '2026-01-31T09:30:00.000Z',
      files: [
        {
          index: 0,
          path: 'planted.pdf',
          sizeBytes: content.length,
          mtimeNs: '1769851800000000000',
          mimeType: 'application/pdf',
          values: {},
          sha256: hashOf(content),
        },
      ],
    };
    const seal = createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
    writeFileSync(join(folder, 'batch.json'), JSON.stringify({ ...manifest, seal, sealedBy: 'guessed' }));
    batchIds.push(batchId);
    hashes.push(hashOf(content));
  }
  return { batchIds, hashes };
}

/** That another Temporal has a batch, that nobody runs it, and that another one watches: by whoever can write there, unsealed. */
function plantMarks(root: string, batchIds: readonly string[]): void {
  const own = join(root, '.drawbridge');
  const temporal = { id: 'planted', namespace: 'planted', address: 'planted:1', host: 'planted' };
  const at = '2026-01-31T09:30:00.000Z';
  const marks = batchIds.flatMap(batchId => [
    [join('batches', batchId, 'hold.json'), { temporal, workflowId: 'planted', runId: 'planted', since: at }],
    [join('batches', batchId, 'stopped.json'), { outcome: 'failed', at }],
  ]);
  for (const [name, content] of [...marks, ['watch.json', { temporal, since: at }]]) {
    try {
      writeFileSync(join(own, String(name)), JSON.stringify({ version: 1, ...Object(content) }), {
        flag: 'wx',
      });
    } catch {
      // Said already by those who have it, or gone.
    }
  }
}

/** Until nothing of anybody waits but what was planted. */
async function untilCarried(stage: Stage, planted: readonly string[]): Promise<boolean> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let quiet = 0; performance.now() < deadline; await delay(100)) {
    const isEmpty = !filesIn(join(stage.shareFolder, 'drop')).some(name => !/(^|\/)\./.test(name));
    // One that waits for a person has ended, as far as it ends by itself: the stranger's files have names twice.
    const isHeld = (batchId: string) =>
      existsSync(join(stage.shareFolder, '.drawbridge', 'batches', batchId, 'receipt-so-far.json'));
    const open = stage.openBatches().filter(batchId => !planted.includes(batchId) && !isHeld(batchId));
    quiet = isEmpty && open.length === 0 ? quiet + 1 : 0;
    if (quiet >= 5) return true;
  }
  return false;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => !entry.isDirectory())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

/** What still waits, and what was said last. */
function describe(root: string): string {
  const log = readFileSync(join(root, '..', 'watch-2.log'), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(-5);
  return [...filesIn(join(root, 'drop')), ...readdirSync(join(root, '.drawbridge/batches')), ...log].join(
    '\n',
  );
}
