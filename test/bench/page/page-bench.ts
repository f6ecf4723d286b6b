// The page with years of jobs on record: what its index costs, how soon it answers, what people see, and what
// those cost who look on. The server is a process of its own, the share one in a folder of this machine.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openShare } from '../../../activities/share/open-share';
import type { Share } from '../../../activities/share/share';
import { SHARE_DEFAULTS } from '../../../activities/share/share-config';
import { POLICY, simpleHasher } from '../../activities/share/share-test-bed';
import { startChromium } from '../../client/console/browser/chromium';
import { atMost, type Figure } from '../figures';
import { measureAnswers, untilFound, untilListed } from './answers';
import { PROJECT, SHARE, writeFinishedShare } from './finished-share';
import { measureFirstView, measureNews, measureScrolling } from './in-browser';
import { PageServer } from './page-server';
import { measureWatchers } from './watchers';

export interface PageBench {
  /** All but one of 100 documents; the first has 5,000. */
  readonly jobs: number;
  readonly turns: number;
}

const KEY = Buffer.alloc(32, 7);

/** Where `DRAWBRIDGE_BENCH_PAGE` names a folder, the share is kept there for the next time. */
export async function benchPage({ jobs, turns }: PageBench): Promise<Figure[]> {
  const kept = process.env.DRAWBRIDGE_BENCH_PAGE;
  const folder = kept ?? (await mkdtemp(join(tmpdir(), 'drawbridge-page-')));
  try {
    const root = join(folder, 'share');
    await mkdir(root, { recursive: true });
    await rm(join(folder, 'state'), { recursive: true, force: true });
    const share = await open(root);
    if (!existsSync(join(folder, 'written'))) {
      say(`Writing ${jobs} finished jobs ...`);
      await writeFinishedShare({
        root,
        key: KEY,
        jobs: [5_000, ...Array.from({ length: jobs - 1 }, () => 100)],
      });
      await writeFile(join(folder, 'written'), '');
    }
    return await measure(folder, root, share, { jobs, turns });
  } finally {
    if (kept === undefined) await rm(folder, { recursive: true, force: true });
  }
}

async function measure(
  folder: string,
  root: string,
  share: Share,
  { jobs, turns }: PageBench,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  let server = await PageServer.start(folder, KEY);
  try {
    say('The index, made anew ...');
    const madeMs = await untilListed(server, jobs);
    const { cpuMs } = await server.used();
    const foundMs = madeMs + (await untilFound(server, jobs - 1));
    figures.push(
      atMost('index of finished jobs made from the share, ms a job of 100', madeMs / jobs, 25, ' ms'),
      atMost(
        `CPU of the server until then, ms a job, ledger of ${documentsOf(jobs)} beside it`,
        cpuMs / jobs,
        30,
        ' ms',
      ),
      atMost('index and ledger, in all', foundMs / 1_000, 600, ' s', 0),
      atMost('memory of the server then', (await server.used()).rssMiB, 400, ' MiB', 0),
    );
    await server.stop();
    const begun = performance.now();
    server = await PageServer.start(folder, KEY);
    await untilListed(server, jobs);
    const listedMs = performance.now() - begun;
    figures.push(atMost('started again until all jobs are listed', listedMs / 1_000, 5, ' s', 1));
    say('Answers ...');
    figures.push(...(await measureAnswers(server, { jobs, turns })));
    const { rssMiB } = await server.used();
    figures.push(atMost('memory of the server after these', rssMiB, 400, ' MiB', 0));
    figures.push(...(await measureScreens(server, { jobs, share, root })));
    return figures;
  } finally {
    await server.stop();
  }
}

async function measureScreens(
  server: PageServer,
  { jobs, share, root }: { readonly jobs: number; readonly share: Share; readonly root: string },
): Promise<Figure[]> {
  const browser = await startChromium();
  try {
    say('In a browser ...');
    const figures = [
      ...(await measureFirstView(browser, server, jobs)),
      ...(await measureScrolling(browser, server, await findLarge(server))),
      ...(await measureNews(browser, server, { share, root, times: 20 })),
    ];
    await browser.close();
    say('Those who look on ...');
    return [...figures, ...(await measureWatchers(server, { watchers: 50, share, root }))];
  } finally {
    await browser.close();
  }
}

async function findLarge(server: PageServer): Promise<string> {
  const { finished } = await server.get<{ finished: readonly { share: string; job: string }[] }>(
    '/api/jobs?q=TR-00000',
  );
  const [job] = finished;
  if (job === undefined) throw new Error('The large job is not there.');
  return `${job.share}/${job.job}`;
}

async function open(root: string): Promise<Share> {
  const logger = { info: () => undefined, warn: () => undefined };
  const config = { ...SHARE_DEFAULTS, name: SHARE, folder: root, project: PROJECT, policy: POLICY };
  return await openShare(config, { hasher: simpleHasher, key: KEY, logger });
}

function documentsOf(jobs: number): number {
  return 5_000 + (jobs - 1) * 100;
}

function say(text: string): void {
  process.stderr.write(`  ${text}\n`);
}
