// Memory of `run`, everything in one process: while eight shares work, and with two hundred that have
// nothing to do. Linux's own count.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from '../../sandbox/defaults';
import { type Figure, row } from '../figures';
import { watchPeakBytes } from '../resident-bytes';
import { RunProcess } from './run-process';

const WORKING = 8;
/** Of each. */
const FILES = 250;
const IDLE = 200;
const IDLE_MS = 30_000;
const SPEED = 20;
const PATIENCE_MS = 60 * 60_000;
const ENDINGS = ['pdf', 'dwg', 'xlsx', 'docx', 'ifc', 'txt', 'jpg'];

export async function benchSharesMemory(): Promise<Figure[]> {
  return [
    row('memoryEight', (await peakOf(WORKING, work)) / 1_024 ** 2),
    row('memoryManyShares', (await peakOf(IDLE, () => delay(IDLE_MS))) / 1_024 ** 2),
  ];
}

async function peakOf(shares: number, meanwhile: (folders: readonly string[]) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-bench-'));
  const folders = Array.from({ length: shares }, (_, at) => join(folder, `share ${at}`));
  try {
    const run = await RunProcess.start({
      folder,
      shares: folders.map((path, at) => settingsOf(path, at)),
      speed: SPEED,
    });
    try {
      return (
        await watchPeakBytes(
          () => run.pid,
          () => meanwhile(folders),
        )
      ).peakBytes;
    } finally {
      await run.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function settingsOf(folder: string, at: number) {
  return {
    name: `share-${at}`,
    folder,
    project: { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain },
    settle: '2s',
    scanEvery: '5s',
    batch: { quiet: '2s' },
    // Names differ from share to share: nothing waits for an earlier revision.
    documentName: 'stem',
    analysis: { firstLook: '1s', every: '1s', typical: '2s', for: '30s' },
    defaults: { Type: 'Document', Status: 'Work in progress', Revision: 'A' },
  };
}

async function work(folders: readonly string[]): Promise<void> {
  for (const [share, folder] of folders.entries()) {
    const top = join(folder, 'drop', `Package ${share}`);
    mkdirSync(top, { recursive: true });
    for (let file = 0; file < FILES; file += 1) {
      const name = `S${share}-${file}.${ENDINGS[file % ENDINGS.length]}`;
      writeFileSync(join(top, name), Buffer.alloc(1_000 + ((file * 7_919) % 400_000), `${share} ${file} `));
    }
  }
  const deadline = performance.now() + PATIENCE_MS;
  while (!folders.every(folder => hasEnded(folder))) {
    if (performance.now() > deadline) throw new Error('It takes more than an hour.');
    await delay(500);
  }
}

/** Its receipt is the last of a job. */
function hasEnded(folder: string): boolean {
  return ['done', 'attention'].some(end => namesIn(join(folder, end)).includes('receipt.json'));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
      path => path.split('/').at(-1) ?? '',
    );
  } catch {
    return [];
  }
}
