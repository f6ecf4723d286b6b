// Two hosts see one share, and the mount of one of them hangs: it asks for none of the share's
// work until the mount answers. With a mount that really hangs where the suite may mount;
// elsewhere the share is said to hang.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import { createHangWatch, type HangWatch } from '../../activities/share/hang-watch';
import type { Config } from '../../workers/config/config';
import { createLogger } from '../../workers/logging';
import { readShareKey } from '../../workers/share-key';
import { type RunningWorker, startWorker } from '../../workers/worker';
import { Rig } from '../setup/rig';
import { StuckMount, whyNoStuckMount } from '../setup/stuck-mount';
import { closeWithoutRemark } from './agreement';

jest.setTimeout(180_000);

const TIMES = { lookEveryMs: 200, lookWithinMs: 500, answerWithinMs: 3_000, againEveryMs: 2_000 };

/** Makes the share of the first host hang, and answer again. */
interface Hanger {
  readonly hangs: HangWatch;
  begin(): void;
  end(): void;
}

let rig: Rig;
let folder: string;
let hanger: Hanger;
const hosts = new Map<string, RunningWorker>();
const connections: NativeConnection[] = [];

beforeEach(async () => {
  rig = await Rig.start();
  // Made by whoever is first, which is to be the host with the mount.
  mkdirSync(rig.drop, { recursive: true });
  hanger = whyNoStuckMount() === undefined ? byMount() : byWord();
});
afterEach(async () => {
  hanger.end();
  for (const host of hosts.values()) await host.shutdown();
  hosts.clear();
  for (const connection of connections.splice(0)) await connection.close();
  if (folder !== join(rig.folder, 'share')) spawnSync('umount', ['--lazy', folder]);
  await closeWithoutRemark(rig);
});

/** The first host sees the share through a mount of its own. */
function byMount(): Hanger {
  folder = join(rig.folder, 'share-of-one');
  mkdirSync(folder);
  spawnSync('mount', ['--bind', join(rig.folder, 'share'), folder]);
  let stuck: StuckMount | undefined;
  return {
    hangs: createHangWatch(TIMES),
    begin: () => {
      stuck = new StuckMount(folder);
    },
    end: () => stuck?.close(),
  };
}

function byWord(): Hanger {
  folder = join(rig.folder, 'share');
  let isHung = false;
  const isReachable = async () => (isHung ? ({ kind: 'hung' } as const) : ({ kind: 'reachable' } as const));
  const isInPlace = async () => {
    while (isHung) await delay(20);
    return true;
  };
  const { untilHung, untilAnswers } = createHangWatch(TIMES);
  const share = { isReachable, isInPlace };
  return {
    hangs: {
      untilHung: async (_, signal) => await untilHung(share, signal),
      untilAnswers: async (_, hang, signal) => await untilAnswers(share, hang, signal),
    },
    begin: () => {
      isHung = true;
    },
    end: () => {
      isHung = false;
    },
  };
}

async function startHost(name: string, shareFolder: string, hangs?: HangWatch): Promise<void> {
  const { namespace, address, bundlePath } = rig.temporal;
  const [share] = rig.config.shares;
  const config: Config = {
    ...rig.config,
    shareKey: await readShareKey(rig.config),
    stateDir: join(rig.folder, `state-${name}`),
    shares: [{ ...share!, folder: shareFolder }],
  };
  // Of its own: the workers of one connection cannot have a queue twice.
  const connection = await NativeConnection.connect({ address });
  connections.push(connection);
  const logger = createLogger({ level: 'debug', file: join(rig.folder, `${name}.log`) });
  const input = {
    config,
    service: config.service!,
    connection,
    namespace,
    address,
    logger,
    bundlePath,
  };
  hosts.set(name, await startWorker({ ...input, ...(hangs === undefined ? {} : { hangs }) }));
}

async function untilSaid(name: string, event: string): Promise<void> {
  while (!readFileSync(join(rig.folder, `${name}.log`), 'utf8').includes(`"${event}"`)) await delay(20);
}

async function untilReceipts(count: number): Promise<number> {
  const startedMs = performance.now();
  while (rig.receipts().length < count) await delay(50);
  return performance.now() - startedMs;
}

test('the other host goes on at once, and the first one when its mount answers', async () => {
  await startHost('one', folder, hanger.hangs);
  await rig.startWatcher();
  rig.dropFiles({ 'before.pdf': '%PDF before' });
  await untilReceipts(1);

  hanger.begin();
  await untilSaid('one', 'share-hung');
  await startHost('two', join(rig.folder, 'share'));
  rig.dropFiles({ 'meanwhile.pdf': '%PDF meanwhile' });
  // A task that the first host had taken would come back after a minute and a half.
  expect(await untilReceipts(2)).toBeLessThan(45_000);

  hanger.end();
  await untilSaid('one', 'share-answers');
  await hosts.get('two')?.shutdown();
  hosts.delete('two');
  rig.dropFiles({ 'after.pdf': '%PDF after' });
  await untilReceipts(3);
});
