// Views of what the server looks at only as long as somebody asks.
import type { ApartPage } from '../../../../client/console/contract/apart';
import { operationsRoutes } from '../../../../client/console/contract/operations';
import type { WaitingPage } from '../../../../client/console/contract/waiting';
import { type BrowserBed, openBrowserBed } from './browser-bed';

const APART: ApartPage = { groups: [], rows: [], count: 0, unread: [], at: new Date().toISOString() };
const WAITING: WaitingPage = {
  rows: [],
  jobs: [],
  answered: [],
  used: [],
  conflicts: {},
  away: null,
  mayAnswer: true,
  at: new Date().toISOString(),
};
const NUMBERS = operationsRoutes['GET /api/operations'].answer.shape.day.shape.numbers.keyType.options;
const OPERATIONS = {
  at: new Date().toISOString(),
  away: [],
  unserved: [],
  mustAct: false,
  parts: [],
  marksUntil: new Date().toISOString(),
  stopped: [],
  notLookedAt: [],
  limits: null,
  state: {
    dropFiles: 0,
    dropIsMore: false,
    dropOldest: null,
    batches: 0,
    batchesWaiting: 0,
    held: 0,
    heldOldest: null,
    tokenUntil: null,
    version: '0.2.0',
    workers: null,
    otherRuns: 0,
    temporalHref: null,
  },
  day: {
    numbers: Object.fromEntries(NUMBERS.map(name => [name, Array.from({ length: 96 }, () => null)])),
    requestsLimit: null,
  },
};

let bed: BrowserBed;
const asked = { '/apart': 0, '/operations': 0, '/waiting': 0 };
beforeAll(async () => {
  bed = await openBrowserBed({
    'GET /api/apart': () => {
      asked['/apart'] += 1;
      return APART;
    },
    'GET /api/operations': () => {
      asked['/operations'] += 1;
      return OPERATIONS;
    },
    'GET /api/waiting': () => {
      asked['/waiting'] += 1;
      return WAITING;
    },
  });
}, 120_000);
afterAll(() => bed.close());

test.each(['/apart', '/operations', '/waiting'] as const)(
  '%s is asked for again while it is shown, though no news has come',
  async path => {
    const page = await bed.open('/me');
    await page.clock.install();
    await page.goto(`${bed.server.origin}${path}`);
    await page.locator('.live.is-live').waitFor();
    await page.waitForTimeout(500);
    const before = asked[path];
    expect(before).toBeGreaterThan(0);
    const again = page.waitForResponse(response => new URL(response.url()).pathname === `/api${path}`, {
      timeout: 5_000,
    });
    await page.clock.fastForward(21_000);
    await again;
    expect(asked[path]).toBe(before + 1);
    expect(bed.errors).toEqual([]);
    await page.close();
  },
  60_000,
);

test.each([502, 504])(
  'what a proxy in front could not get (%i) is asked for again',
  async status => {
    const page = await bed.open('/apart');
    await page.locator('.live.is-live').waitFor();
    await page.getByText('Nothing is set apart.').first().waitFor();
    await page.waitForTimeout(500);
    let times = 0;
    await page.route('**/api/apart', async route => {
      times += 1;
      if (times > 1) return await route.continue();
      await route.fulfill({ status, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' });
    });
    const again = page.waitForResponse(
      response => new URL(response.url()).pathname === '/api/apart' && response.status() === 200,
      { timeout: 8_000 },
    );
    bed.changed('apart');
    await again;
    expect(times).toBe(2);
    bed.errors.length = 0;
    await page.close();
  },
  60_000,
);
