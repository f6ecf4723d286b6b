// How soon the page's server answers, with years of jobs on record: first with an index that has to be made,
// then with the one that is kept.
import { setTimeout as delay } from 'node:timers/promises';
import type { JobSummary } from '../../../client/console/contract/jobs';
import { atMost, type Figure, forInformation } from '../figures';
import { documentOf, jobNameOf, revisionOf } from './finished-share';
import type { PageServer } from './page-server';
import { percentile } from './times';

interface List {
  readonly finished: readonly JobSummary[];
  readonly counts: { readonly finished: number };
  readonly next: string | null;
}

/** Until the list has all of them. @returns ms. */
export async function untilListed(server: PageServer, jobs: number): Promise<number> {
  const begun = performance.now();
  for (;;) {
    const { counts } = await server.get<List>('/api/jobs');
    if (counts.finished >= jobs) return performance.now() - begun;
    await delay(50);
  }
}

/** Until the ledgers have been read to their end. @returns ms. */
export async function untilFound(server: PageServer, job: number): Promise<number> {
  const begun = performance.now();
  for (;;) {
    const { found } = await server.get<{ found: readonly unknown[] }>(find(documentOf(job, 50).number));
    if (found.length > 0) return performance.now() - begun;
    await delay(50);
  }
}

function find(q: string): string {
  return `/api/find?q=${encodeURIComponent(q)}`;
}

export async function measureAnswers(
  server: PageServer,
  { jobs, turns }: { readonly jobs: number; readonly turns: number },
): Promise<Figure[]> {
  const ids = await listIds(server, turns);
  // Spread over all, and never the same twice.
  const job = (turn: number) => 1 + Math.floor(((turn + 0.5) / turns) * (jobs - 1));
  const at = (turn: number) => 10 + (turn % 80);
  const cursor = ids.cursors[0] ?? '';
  const asked: readonly (readonly [string, (turn: number) => string])[] = [
    ['the list of jobs', () => '/api/jobs'],
    ['the next hundred', () => `/api/jobs?cursor=${encodeURIComponent(cursor)}`],
    [
      'the list, by a part of a name',
      turn => `/api/jobs?q=TR-${String(job(turn)).padStart(5, '0').slice(0, 3)}`,
    ],
    ['the list, by a document', turn => `/api/jobs?q=${documentOf(job(turn), at(turn)).number}`],
    ['the list, of a day', turn => `/api/jobs?day=2024-0${1 + (turn % 9)}-15&zone=Europe/Berlin`],
    ['find, a number', turn => find(documentOf(job(turn), at(turn)).number)],
    ['find, a file', turn => find(documentOf(job(turn), at(turn)).file.split('/')[1] ?? '')],
    ['find, a checksum', turn => find(documentOf(job(turn), at(turn)).sha256)],
    ['find, a revision', turn => find(revisionOf(job(turn), at(turn)))],
    ['find, the name of a job', turn => find(jobNameOf(job(turn)))],
    ['find, a part of a file that was set apart', () => find('-DR-S-00040')],
    ['the head of a job of 100, first', turn => `/api/jobs/${ids.of(turn)}`],
    ['its rows', turn => `/api/jobs/${ids.of(turn)}/rows`],
    ['the rows of another job of 100, first', turn => `/api/jobs/${ids.of(turns + turn)}/rows`],
  ];
  const figures: Figure[] = [];
  for (const [what, path] of asked) {
    const times: number[] = [];
    const before = await server.used();
    for (let turn = 0; turn < turns; turn += 1) {
      const told = await server.ask(path(turn));
      if (told.status !== 200) throw new Error(`${path(turn)}: ${told.status} ${told.text}`);
      times.push(told.ms);
    }
    const cpuMs = ((await server.used()).cpuMs - before.cpuMs) / turns;
    figures.push(
      atMost(`${what}, p99 of ${turns}`, percentile(times, 0.99), 100, 'ms', 1),
      forInformation(`${what}, p50`, percentile(times, 0.5), 'ms', 1),
      forInformation(`${what}, CPU of each`, cpuMs, 'ms', 1),
    );
  }
  return [...figures, ...(await measureLarge(server, ids.large))];
}

/** A job of 5,000, of which nobody has looked at anything yet. */
async function measureLarge(server: PageServer, large: string): Promise<Figure[]> {
  const first = await server.ask(`/api/jobs/${large}/rows`);
  const times: number[] = [];
  for (let turn = 0; turn < 20; turn += 1) times.push((await server.ask(`/api/jobs/${large}/rows`)).ms);
  const head = await server.ask(`/api/jobs/${large}`);
  const { rows } = JSON.parse(first.text) as { readonly rows: readonly unknown[] };
  return [
    atMost(`rows of a job of ${rows.length}, the first time`, first.ms, 1_000, ' ms', 0),
    atMost('the same again, p50', percentile(times, 0.5), 100, ' ms', 0),
    atMost('its head', head.ms, 1_000, ' ms', 0),
  ];
}

async function listIds(server: PageServer, turns: number) {
  const ids: string[] = [];
  const cursors: string[] = [];
  let large = '';
  for (let cursor: string | null = ''; cursor !== null; ) {
    const list: List = await server.get(
      `/api/jobs${cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`}`,
    );
    for (const { share, job, documents } of list.finished) {
      if (documents === 100) ids.push(`${share}/${job}`);
      if (documents > 1_000) large = `${share}/${job}`;
    }
    cursor = list.next;
    if (cursor !== null) cursors.push(cursor);
  }
  const step = Math.max(1, Math.floor(ids.length / (2 * turns)));
  const of = (turn: number) => ids[(turn * step) % ids.length] ?? '';
  return { of, cursors, large };
}
