// What people see of the page: how soon the first view is there, how a long table scrolls, and how soon a
// change on the share is on the screen.
import type { Browser, CDPSession, Page } from 'playwright-core';
import type { Share } from '../../../activities/share/share';
import { atLeast, atMost, type Figure } from '../figures';
import { jobNameOf } from './finished-share';
import { beginJob } from './job-on-its-way';
import type { PageServer } from './page-server';
import { percentile } from './times';

const WIDE = { viewport: { width: 1440, height: 900 } };

export async function measureFirstView(
  browser: Browser,
  server: PageServer,
  jobs: number,
): Promise<Figure[]> {
  const context = await browser.newContext(WIDE);
  const page = await context.newPage();
  const begun = performance.now();
  await page.goto(`${server.origin}/jobs`);
  await page.getByText(jobNameOf(jobs - 1)).waitFor();
  const shownMs = performance.now() - begun;
  const paintMs = await page.evaluate<number>(
    "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0",
  );
  await context.close();
  return [
    atMost(`first paint of Jobs, ${jobs} jobs on record`, paintMs, 1_000, ' ms', 0),
    atMost('until the newest of them stands there', shownMs, 2_000, ' ms', 0),
  ];
}

/** Turns the wheel's worth of each picture, and takes the time from one picture to the next. */
const SCROLL = `async seconds => {
  const table = [...document.querySelectorAll('*')].find(one => one.scrollHeight > one.clientHeight * 3 &&
    /auto|scroll/.test(getComputedStyle(one).overflowY)) ?? document.scrollingElement;
  const gaps = [];
  let last = performance.now();
  const end = last + seconds * 1000;
  while (last < end) {
    const now = await new Promise(requestAnimationFrame);
    table.scrollTop = (table.scrollTop + 90) % Math.max(1, table.scrollHeight - table.clientHeight);
    gaps.push(now - last);
    last = now;
  }
  return { gaps: gaps.slice(5), height: table.scrollHeight, rows: document.querySelectorAll('[role=row]').length };
}`;

interface Scrolled {
  readonly gaps: readonly number[];
  readonly height: number;
  readonly rows: number;
}

export async function measureScrolling(
  browser: Browser,
  server: PageServer,
  large: string,
): Promise<Figure[]> {
  const context = await browser.newContext(WIDE);
  const page = await context.newPage();
  await page.goto(`${server.origin}/jobs/${large}`);
  await page.getByText('Rows 1 to').waitFor();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  const scroll = async () => {
    const before = await busyMs(session);
    const scrolled = await page.evaluate<Scrolled>(`(${SCROLL})(5)`);
    return { ...scrolled, ownMs: ((await busyMs(session)) - before) / scrolled.gaps.length };
  };
  const full = await scroll();
  // The same page, with nothing in its table.
  await page.goto(`${server.origin}/jobs/${large}?q=nothing-of-the-kind`);
  await page.getByRole('grid').or(page.getByText('No document fits')).first().waitFor();
  const floor = await scroll();
  await context.close();
  const framesOf = ({ gaps }: Scrolled) => (gaps.length * 1_000) / gaps.reduce((sum, gap) => sum + gap, 0);
  return [
    atLeast('pictures a second while 5,000 documents scroll', framesOf(full), 50, '', 1),
    atLeast('the same page without rows (for information)', framesOf(floor), 0, '', 1),
    atMost('of 100 pictures 99 come within', percentile(full.gaps, 0.99), 100, ' ms', 0),
    atMost('scripts, styles and layout of one picture', full.ownMs, 16, ' ms', 1),
    atMost('rows in the document meanwhile', full.rows, 80, '', 0),
  ];
}

/** What the page itself has done so far, without painting. */
async function busyMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (name: string) => metrics.find(one => one.name === name)?.value ?? 0;
  return (of('ScriptDuration') + of('RecalcStyleDuration') + of('LayoutDuration')) * 1_000;
}

/** From the rename that puts a record on the share to its text on the screen. */
export async function measureNews(
  browser: Browser,
  server: PageServer,
  { share, root, times }: { readonly share: Share; readonly root: string; readonly times: number },
): Promise<Figure[]> {
  // One stays on its way: what has ended is told in other words.
  const job = await beginJob(share, root, times + 1);
  const context = await browser.newContext(WIDE);
  const page = await context.newPage();
  await page.goto(`${server.origin}/jobs/${share.name}/${job.jobId}`);
  await page.getByText(`0 of ${job.documents} `).first().waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  const taken: number[] = [];
  for (let at = 0; at < times; at += 1) {
    const seen = whenShown(page, `${at + 1} of ${job.documents}`);
    await job.next();
    const renamedAt = Date.now();
    taken.push((await seen) - renamedAt);
    // Not in step with the server's looks.
    await page.waitForTimeout(100 + ((at * 137) % 900));
  }
  await context.close();
  return [
    atMost(
      `a change on the share is on the screen, p50 of ${times}`,
      percentile(taken, 0.5),
      2_000,
      ' ms',
      0,
    ),
    atMost('the longest', Math.max(...taken), 2_000, ' ms', 0),
  ];
}

/** By the clock of this machine, which both have. */
async function whenShown(page: Page, text: string): Promise<number> {
  return await page.evaluate<number>(`new Promise(resolve => {
    const isThere = () => document.body.textContent.includes(${JSON.stringify(text)});
    const look = () => { if (isThere()) { watch.disconnect(); resolve(Date.now()); } };
    const watch = new MutationObserver(look);
    watch.observe(document, { subtree: true, childList: true, characterData: true });
    look();
  })`);
}
