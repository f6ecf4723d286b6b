import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scanDrop } from '../../../activities/share/drop/scan-drop';
import { createNodeShareFs } from '../../../activities/share/files/share-fs';
import type { Share } from '../../../activities/share/share';
import { Wake } from '../../../client/watch/wake';
import { Doorbell } from '../../../client/watch/watch-doorbell';
import { Scanner } from '../../../client/watch/watch-scan';
import { SettleTracker } from '../../../client/watch/watch-tracker';

const nowMs = () => performance.now();

let root = '';
let doorbell: Doorbell;
let wake: Wake;
let troubles: string[] = [];

function open(polling: boolean): Doorbell {
  doorbell = new Doorbell({
    polling,
    pollEveryMs: 100,
    nowMs,
    onRing: () => wake.ring(),
    onTrouble: why => troubles.push(why),
  });
  return doorbell;
}

async function rung(timeoutMs = 30_000): Promise<boolean> {
  const beganMs = nowMs();
  await wake.wait(timeoutMs, new AbortController().signal);
  return nowMs() - beganMs < timeoutMs;
}

/** Watching has begun once something is heard; this makes sure of it. */
async function listening(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) {
    await writeFile(join(root, `.begin-${turn}`), '');
    if (await rung(100)) break;
  }
  while (await rung(300));
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'drawbridge-bell-'));
  await mkdir(join(root, 'folder'));
  wake = new Wake();
  troubles = [];
});

afterEach(async () => {
  await doorbell.close();
  await rm(root, { recursive: true, force: true });
});

describe.each([
  ['native', false],
  ['polling', true],
])('the doorbell, %s', (_name, polling) => {
  test('rings for a file, and knows in which folder', async () => {
    open(polling).start(root);
    await listening();
    const sinceMs = nowMs();
    await writeFile(join(root, 'folder/a.pdf'), 'x');
    expect(await rung()).toBe(true);
    expect(doorbell.hasHeard('folder', sinceMs)).toBe(true);
    expect(doorbell.hasHeard('folder/deeper', sinceMs)).toBe(true);
    expect(doorbell.hasHeard('other', sinceMs)).toBe(false);
  });

  test('rings for a new folder, and for files in it', async () => {
    open(polling).start(root);
    await listening();
    const sinceMs = nowMs();
    await mkdir(join(root, 'new'));
    expect(await rung()).toBe(true);
    while (await rung(400));
    await writeFile(join(root, 'new/a.pdf'), 'x');
    expect(await rung()).toBe(true);
    expect(doorbell.hasHeard('new', sinceMs)).toBe(true);
  });
});

describe('a doorbell that is deaf', () => {
  test('is found out by the scan, which meets files that were never announced', async () => {
    open(false).start(root);
    await listening();
    // The watched folder goes away with its watch; another one takes its place.
    await rename(root, `${root}-old`);
    await mkdir(root);
    while (await rung(300));

    const tracker = new SettleTracker({ settleMs: 20, capacity: 10, nowMs });
    const fs = createNodeShareFs();
    const share = {
      scan: () => scanDrop(fs, root),
      look: async (name: { path: string }) => {
        const facts = await fs.look(join(root, name.path));
        return { ...facts, ...name };
      },
    } as unknown as Share;
    const scanner = new Scanner({ share, tracker, doorbell, tell: () => undefined, nowMs, marker: '.ready' });
    const { signal } = new AbortController();
    await scanner.discover(signal);
    await writeFile(join(root, 'a.pdf'), 'x');
    await scanner.discover(signal);
    for (let nextMs = 0; Number.isFinite(nextMs); ) {
      nextMs = await scanner.settle(signal);
      if (Number.isFinite(nextMs)) await new Wake().wait(nextMs - nowMs(), signal);
    }
    expect(scanner.takeMissed()).toBe(1);
    await rm(`${root}-old`, { recursive: true });
  });

  test('says nothing of files that came before it could hear', () => {
    open(false);
    expect(doorbell.hasHeard('', 0)).toBe(true);
  });
});
