// Many who look on at once: what they cost the server, and whether the share is looked at once for all.
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Share } from '../../../activities/share/share';
import { atMost, type Figure } from '../figures';
import { beginJob } from './job-on-its-way';
import type { PageServer } from './page-server';

/** The list of what has ended is read once in that time, whoever looks on. */
const QUIET_MS = 60_000;
const NEWS_MS = 3_000;
const TURNS = 10;
const SETTLED_MS = 5_000;
/** What a page with the list of jobs asks again when something has changed. */
const ASKED_AGAIN = ['/api/jobs', '/api/waiting/count', '/api/apart/count'];

interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
  readonly rssMiB: number;
  readonly operations: number;
}

export async function measureWatchers(
  server: PageServer,
  { watchers, share, root }: { readonly watchers: number; readonly share: Share; readonly root: string },
): Promise<Figure[]> {
  const quiet = async () => await delay(QUIET_MS);
  await untilRead(server);
  const one = await watch(server, 1, quiet);
  const many = await watch(server, watchers, quiet);
  // In turns, and of one job: each open job is looked at by itself, and the longer its journal the longer.
  const job = await beginJob(share, root, 2 * TURNS + 1);
  const news = async () => {
    await job.next();
    await delay(NEWS_MS);
  };
  const turns: { readonly one: Cost; readonly many: Cost }[] = [];
  for (let turn = 0; turn < TURNS; turn += 1)
    turns.push({ one: await watch(server, 1, news), many: await watch(server, watchers, news) });
  const busyOne = sum(turns.map(turn => turn.one));
  const busy = sum(turns.map(turn => turn.many));
  const percent = ({ ms, cpuMs }: Cost) => (cpuMs / ms) * 100;
  const times = (some: Cost, other: Cost) => some.operations / Math.max(1, other.operations);
  return [
    atMost(`CPU of the server, ${watchers} look on, nothing happens`, percent(many), 5, ' %', 1),
    atMost('the same with one (for information)', percent(one), 100, ' %', 1),
    atMost(`the same, ${watchers}, a change every three seconds`, percent(busy), 5, ' %', 1),
    atMost(
      'the same with one, a change every three seconds (for information)',
      percent(busyOne),
      100,
      ' %',
      1,
    ),
    atMost('memory that these take more', busy.rssMiB - one.rssMiB, 150, ' MiB', 0),
    atMost(`file operations with ${watchers} over those with one, nothing happens`, times(many, one), 1.2),
    atMost('the same, a change every three seconds', times(busy, busyOne), 1.2),
    atMost('file operations a second (for information)', many.operations / (many.ms / 1_000), 1_000, '', 1),
  ];
}

/** Until what was written before is read: its marks are of a moment ago, the index may not have it yet. */
async function untilRead(server: PageServer): Promise<void> {
  for (let before = 0; ; ) {
    const begun = (await server.used()).operations;
    await delay(SETTLED_MS);
    const operations = (await server.used()).operations - begun;
    if (operations <= before) return;
    before = operations;
  }
}

function sum(costs: readonly Cost[]): Cost {
  return costs.reduce((all, cost) => ({
    ms: all.ms + cost.ms,
    cpuMs: all.cpuMs + cost.cpuMs,
    rssMiB: Math.max(all.rssMiB, cost.rssMiB),
    operations: all.operations + cost.operations,
  }));
}

async function watch(server: PageServer, count: number, meanwhile: () => Promise<void>): Promise<Cost> {
  const open: ClientRequest[] = [];
  for (let at = 0; at < count; at += 1) {
    const asked = request(`${server.origin}/api/live`, { agent: false }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('event: changed')) for (const path of ASKED_AGAIN) void server.hear(path);
    });
    open.push(asked);
  }
  try {
    await delay(2_000);
    const before = await server.used();
    const begun = performance.now();
    await meanwhile();
    const after = await server.used();
    return {
      ms: performance.now() - begun,
      cpuMs: after.cpuMs - before.cpuMs,
      rssMiB: after.rssMiB,
      operations: after.operations - before.operations,
    };
  } finally {
    for (const asked of open) asked.destroy();
    await delay(200);
  }
}
