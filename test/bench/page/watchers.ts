// Many who look on at once: what they cost the server, and whether the share is looked at once for all.
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Share } from '../../../activities/share/share';
import { atMost, type Figure } from '../figures';
import { beginJob } from './job-on-its-way';
import type { PageServer } from './page-server';

const LOOK_MS = 15_000;
/** What a page with the list of jobs asks again when something has changed. */
const ASKED_AGAIN = ['/api/jobs', '/api/waiting/count', '/api/apart/count'];
const NEWS_EVERY_MS = 3_000;

interface Cost {
  readonly cpuShare: number;
  readonly rssMiB: number;
  readonly operations: number;
}

export async function measureWatchers(
  server: PageServer,
  { watchers, share, root }: { readonly watchers: number; readonly share: Share; readonly root: string },
): Promise<Figure[]> {
  const quiet = async () => await delay(LOOK_MS);
  const one = await watch(server, 1, quiet);
  const many = await watch(server, watchers, quiet);
  const withNews = async () => {
    const job = await beginJob(share, root, LOOK_MS / NEWS_EVERY_MS + 1);
    for (let passedMs = 0; passedMs < LOOK_MS; passedMs += NEWS_EVERY_MS) {
      await job.next();
      await delay(NEWS_EVERY_MS);
    }
  };
  const busyOne = await watch(server, 1, withNews);
  const busy = await watch(server, watchers, withNews);
  const times = (some: Cost, other: Cost) => some.operations / Math.max(1, other.operations);
  return [
    atMost(`CPU of the server, ${watchers} look on, nothing happens`, many.cpuShare * 100, 5, ' %', 1),
    atMost('the same with one (for information)', one.cpuShare * 100, 100, ' %', 1),
    atMost(`the same, ${watchers}, a change every three seconds`, busy.cpuShare * 100, 25, ' %', 1),
    atMost('memory that these take more', busy.rssMiB - one.rssMiB, 150, ' MiB', 0),
    atMost(`file operations with ${watchers} over those with one, nothing happens`, times(many, one), 1.2),
    atMost('the same, a change every three seconds', times(busy, busyOne), 1.2),
    atMost('file operations a second (for information)', many.operations / (LOOK_MS / 1_000), 1_000, '', 1),
  ];
}

async function watch(server: PageServer, count: number, meanwhile: () => Promise<void>): Promise<Cost> {
  const open: ClientRequest[] = [];
  for (let at = 0; at < count; at += 1) {
    const asked = request(`${server.origin}/api/live`, { agent: false }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('event: changed')) for (const path of ASKED_AGAIN) void server.ask(path);
    });
    open.push(asked);
  }
  try {
    await delay(2_000);
    const before = await server.used();
    await meanwhile();
    const after = await server.used();
    return {
      cpuShare: (after.cpuMs - before.cpuMs) / LOOK_MS,
      rssMiB: after.rssMiB,
      operations: after.operations - before.operations,
    };
  } finally {
    for (const asked of open) asked.destroy();
    await delay(200);
  }
}
