// The page in a real browser, on the real server of the page with handlers that a test gives it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Asked, Route } from '../../../../client/console/contract/route';
import { ROUTES } from '../../../../client/console/contract/routes';
import type { Topic } from '../../../../client/console/contract/session';
import type { AnyModule } from '../../../../client/console/serve/server';
import { openServer, type ServerBed } from '../serve/server-bed';
import { startChromium } from './chromium';
import { findOverflow } from './reflow';

const ROOT = join(__dirname, '..', '..', '..', '..');
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

type Key = keyof typeof ROUTES;
/** Answers by route; what is asked and has none is an error of the test. */
export type Fakes = {
  [One in Key]?: (asked: Asked<(typeof ROUTES)[One] & Route>) => unknown;
};

interface OpenPage {
  readonly theme?: 'light' | 'dark';
  readonly isPhone?: boolean;
  readonly options?: BrowserContextOptions;
}

export interface BrowserBed {
  readonly server: ServerBed;
  readonly browser: Browser;
  /** Says that something has changed, as the server does. */
  changed(...topics: Topic[]): void;
  /** What went wrong in any page: errors, and what the policy refused. */
  readonly errors: string[];
  open(path: string, how?: OpenPage): Promise<Page>;
  close(): Promise<void>;
}

/** What the frame asks on every view. */
const OF_FRAME: Fakes = {
  'GET /api/jobs': () => ({
    open: [],
    finished: [],
    next: null,
    counts: { open: 0, waits: 0, onTheWay: 0, finished: 0, held: 0, fit: 0 },
    until: null,
    people: [],
    shares: [],
  }),
  'GET /api/waiting/count': () => ({ held: 0 }),
  'GET /api/apart/count': () => ({ count: 0 }),
  'GET /api/operations/sign': () => ({ isAway: false, mustAct: false, away: [] }),
};

/** Builds it where its sources are newer, and tells where it lies. */
export function buildPage(): string {
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs'), '--page']);
  return join(ROOT, 'dist', 'client', 'console', 'page');
}

/** Of any server. What goes wrong in the page joins the errors. */
export async function openPage(
  browser: Browser,
  address: string,
  errors: string[],
  { theme = 'light', isPhone = false, options = {} }: OpenPage = {},
): Promise<Page> {
  const context = await browser.newContext({
    viewport: isPhone ? PHONE : WIDE,
    deviceScaleFactor: isPhone ? 2 : 1,
    hasTouch: isPhone,
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/London',
    ...options,
  });
  const page = await context.newPage();
  page.on('pageerror', error => errors.push(String(error)));
  page.on('console', message => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(address);
  return page;
}

/** A part of the server that answers as the test says. */
export function toModule(fakes: Fakes): AnyModule {
  const handlers = Object.fromEntries(
    Object.entries({ ...OF_FRAME, ...fakes }).map(([key, answer]) => [
      key,
      async (asked: unknown) => await (answer as (asked: unknown) => unknown)(asked),
    ]),
  );
  return { handlers };
}

export async function openBrowserBed(fakes: Fakes): Promise<BrowserBed> {
  const built = buildPage();
  const server = await openServer({
    page: built,
    routes: ROUTES,
    modules: [toModule(fakes)],
  });
  const browser = await startChromium();
  const errors: string[] = [];
  return {
    server,
    browser,
    errors,
    changed: (...topics) => server.console.live.changed(topics),
    open: async (path, how) => await openPage(browser, `${server.origin}${path}`, errors, how),
    close: async () => {
      await browser.close();
      await server.close();
    },
  };
}

/** Kept for whoever wants to look, where `DRAWBRIDGE_TEST_SCREENSHOTS` names a folder. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.DRAWBRIDGE_TEST_SCREENSHOTS;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

let shots = 0;

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/** What axe finds, and what does not fit on a small or zoomed screen: nothing is wanted. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  shots++;
  const name = expect.getState().currentTestName?.replaceAll(/\W+/g, '-').slice(0, 60);
  const shot = async (width: number) => await shoot(page, `${width}-${name}-${shots}`);
  return [...(await findByAxe(page)), ...(await findOverflow(page, shot))];
}

/** By WCAG 2.2 A and AA and by best practice. */
export async function findByAxe(page: Page): Promise<readonly string[]> {
  // The page's policy lets no script in; the browser's own door does.
  const session = await page.context().newCDPSession(page);
  const run = `${AXE}; axe.run(document, { resultTypes: ['violations'] })`;
  const { result } = await session.send('Runtime.evaluate', {
    expression: run,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  const { violations } = result.value as AxeResult;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}
