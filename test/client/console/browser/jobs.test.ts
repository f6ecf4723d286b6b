// The list of jobs in a browser.
import { gzipSync } from 'node:zlib';
import { withResolvers } from '../../../../activities/host/with-resolvers';
import { type BrowserBed, findBarriers, openBrowserBed, shoot } from './browser-bed';
import { FINISHED, HOSTILE, OPEN, sampleFakes, sampleRows, WAITING } from './sample-jobs';

const sample = { open: OPEN, finished: FINISHED, rows: sampleRows(300) };
const MOST_SCRIPT_BYTES = 150 * 1024;
let bed: BrowserBed;

beforeAll(async () => {
  bed = await openBrowserBed(sampleFakes(sample));
});
afterAll(async () => {
  await bed.close();
});
beforeEach(() => {
  Object.assign(sample, { open: OPEN, finished: FINISHED });
  bed.errors.length = 0;
});

test('it says in one sentence what is on its way and what waits, and the tab says it too', async () => {
  const page = await bed.open('/');
  await page.waitForURL('**/jobs');
  await page.getByText('25 documents in 2 jobs wait for you.').waitFor();
  expect(await page.getByText('3 are on the way').count()).toBe(1);
  expect(await page.title()).toContain('25 documents in 2 jobs wait for you.');
  expect(await page.getByRole('img', { name: '212 through + 68 on the way + 20 held = 300' }).count()).toBe(
    1,
  );
  await shoot(page, 'jobs-light');
  expect(bed.errors).toEqual([]);
});

test.each(['light', 'dark'] as const)('axe finds nothing, %s', async theme => {
  const page = await bed.open('/jobs', { theme });
  await page.getByText('TR-0136 Drainage S2').waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await shoot(page, `jobs-${theme}`);
});

test('on a phone nothing reaches over the side', async () => {
  const page = await bed.open('/jobs', { isPhone: true });
  await page.getByText('TR-0136 Drainage S2').waitFor();
  await shoot(page, 'jobs-phone-light');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await findBarriers(page)).toEqual([]);
});

test('by keys: arrows walk, Enter opens, the chips filter and stand in the address', async () => {
  const page = await bed.open('/jobs');
  await page.getByText('TR-0136 Drainage S2').waitFor();
  await page.getByRole('button', { name: 'Waits for me' }).press('Enter');
  await page.waitForURL('**/jobs?state=waits');
  await page.getByText('TR-0141').waitFor({ state: 'detached' });
  // Filtered, they are asked for anew.
  await page.getByRole('link', { name: 'TR-0142' }).first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.locator('a.job-link:focus').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/jobs/tender/TR-0142');
  await page.goBack();
  await page.waitForURL('**/jobs?state=waits');
});

test('what changes on the share is shown without reloading; what is new waits above until it is wanted', async () => {
  const page = await bed.open('/jobs');
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText('TR-0136 Drainage S2').waitFor();
  const more = { ...WAITING, job: 'TR-0150', name: 'TR-0150 Late one' };
  const through = { ...WAITING, tally: { ...WAITING.tally, through: 213, held: 19 } };
  Object.assign(sample, { open: [more, through, ...OPEN.slice(1)] });
  bed.changed('jobs');
  await page.getByRole('img', { name: '213 through + 68 on the way + 19 held = 300' }).waitFor();
  expect(await page.getByText('TR-0150').count()).toBe(0);
  await page.getByRole('button', { name: '1 new, show' }).click();
  await page.getByText('TR-0150 Late one').waitFor();
});

test('whatever is filtered, the sentence tells of all; rows of another filter are not "new"', async () => {
  const page = await bed.open('/jobs?state=finished');
  await page.getByText('TR-0136 Drainage S2').waitFor();
  expect(await page.getByText('3 are on the way').count()).toBe(1);
  await page.getByRole('button', { name: 'Waits for me' }).click();
  await page.getByText('TR-0136 Drainage S2').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'All' }).click();
  await page.getByText('TR-0141').waitFor();
  expect(await page.getByText('new, show').count()).toBe(0);
});

test('earlier jobs come once, however often they are asked for, and none is lost when others end', async () => {
  const [newest, second, third, last] = FINISHED;
  let asked = 0;
  const page = await bed.open('/jobs');
  await page.route('**/api/jobs?*', async route => {
    const answer = await route.fetch();
    const isNext = new URL(route.request().url()).searchParams.has('cursor');
    if (isNext) asked += 1;
    const finished = isNext ? [third, last] : sample.finished;
    await route.fulfill({ json: { ...(await answer.json()), finished, next: isNext ? null : 'x' } });
  });
  Object.assign(sample, { finished: [newest, second] });
  await page.reload();
  await page.getByRole('button', { name: 'Show earlier jobs' }).dblclick();
  await page.getByText('TR-0136').waitFor();
  const late = { ...newest, job: 'TR-0151', name: 'TR-0151 Just ended' };
  Object.assign(sample, { finished: [late, newest] });
  bed.changed('jobs');
  await page.getByText('TR-0151').waitFor();
  expect(await page.locator('tr.finished').evaluateAll(rows => rows.map(row => row.dataset.job))).toEqual(
    [late, newest, second, third, last].map(one => one?.job),
  );
  expect(asked).toBe(1);
});

test('earlier jobs are asked for by the filter that is shown, not while it waits for its answer', async () => {
  const [newest, second, third, last] = FINISHED;
  const { promise: mayAnswer, resolve: answer } = withResolvers<void>();
  const cursors: (string | null)[] = [];
  const page = await bed.open('/jobs');
  await page.route('**/api/jobs?*', async route => {
    const { searchParams } = new URL(route.request().url());
    const [isFinished, cursor] = [searchParams.get('state') === 'finished', searchParams.get('cursor')];
    if (cursor !== null) cursors.push(cursor);
    const given = await route.fetch();
    if (isFinished && cursor === null) await mayAnswer;
    const first = isFinished ? [third] : [newest];
    const next = isFinished ? 'of finished' : 'of all';
    const finished = cursor === null ? first : isFinished ? [last] : [second];
    await route.fulfill({ json: { ...(await given.json()), finished, next: cursor === null ? next : null } });
  });
  await page.reload();
  const earlier = page.getByRole('button', { name: 'Show earlier jobs' });
  await earlier.waitFor();
  await page.getByRole('button', { name: 'Finished' }).click();
  await page.waitForURL('**/jobs?state=finished');
  await earlier.dispatchEvent('click');
  answer();
  await page.getByText(third?.name ?? '').waitFor();
  await earlier.click();
  await page.getByText(last?.name ?? '').waitFor();
  expect(cursors).toEqual(['of finished']);
});

test('Enter opens nothing of what was typed before', async () => {
  const page = await bed.open('/jobs');
  await page.getByText('TR-0136 Drainage S2').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('S-0008');
  await page.getByRole('option').getByText('Held').waitFor();
  await page.locator('#find').fill('S-0009');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/jobs/tender/TR-0142/row-10');
});

test('a connection that is silent for long is dead: it is made anew', async () => {
  const page = await bed.open('/me');
  await page.clock.install();
  await page.reload();
  await page.getByText('Live', { exact: true }).waitFor();
  const again = page.waitForRequest('**/api/live');
  await page.clock.fastForward(60_000);
  await page.clock.fastForward(1_000);
  await again;
  await page.getByText('Live', { exact: true }).waitFor();
});

test('finding says the verdict, and opens by Enter', async () => {
  const page = await bed.open('/jobs');
  await page.getByText('TR-0136 Drainage S2').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('S-0008');
  await page.getByRole('option').getByText('Held').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/jobs/tender/TR-0142/row-9');
});

test('a column that is pasted into the field gives a verdict for each', async () => {
  const page = await bed.open(`/find/${encodeURIComponent('S-0008\nS-0009\nno such thing')}`);
  await page.getByText('2 of 3 are known here.').waitFor();
  expect(await page.getByRole('row').count()).toBe(4);
  expect(await findBarriers(page)).toEqual([]);
  await shoot(page, 'find');
  await page.getByRole('link', { name: '0008' }).click();
  await page.waitForURL('**/jobs/tender/TR-0142/row-9');
});

test('what is sent to the browser is small', async () => {
  const { origin } = bed.server;
  const [, script] = /src="(main-[^"]+)"/.exec(await (await fetch(`${origin}/`)).text()) ?? [];
  const text = await (await fetch(`${origin}/${script}`)).text();
  expect(gzipSync(text).length).toBeLessThan(MOST_SCRIPT_BYTES);
});

test('what is away is told on every view, and that nothing is lost; it goes when it is back', async () => {
  const since = new Date(Date.now() - 600_000).toISOString();
  const page = await bed.open('/jobs');
  await page.getByText('Live', { exact: true }).waitFor();
  Object.assign(sample, {
    away: [
      { kind: 'service', share: null, since },
      { kind: 'share', share: 'tender', since },
    ],
  });
  bed.changed('operations');
  const strip = page.getByRole('status').getByText(/^The document service and Share tender are away since/);
  await strip.waitFor();
  await page.getByText('Nothing is lost: everything waits and goes on by itself.').waitFor();
  await shoot(page, 'jobs-away');
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole('link', { name: 'TR-0142' }).first().click();
  await page.getByText('212 of 300 are through.').waitFor();
  await shoot(page, 'job-away');
  Object.assign(sample, { away: [] });
  bed.changed('operations');
  await strip.waitFor({ state: 'detached' });
});

test('no connection is told above what stays, and goes away by itself', async () => {
  const page = await bed.open('/jobs');
  await page.getByText('Live', { exact: true }).waitFor();
  await page.context().setOffline(true);
  bed.server.console.server.server.closeAllConnections();
  await page.getByText('No connection since').waitFor();
  expect(await page.getByText('TR-0142 Structural IFC').count()).toBe(1);
  await shoot(page, 'jobs-lost');
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try now' }).click();
  await page.getByText('No connection since').waitFor({ state: 'detached' });
});

test('names are text, whatever stands in them', async () => {
  Object.assign(sample, { open: HOSTILE.map((name, at) => ({ ...WAITING, job: `h${at}`, name })) });
  const page = await bed.open('/jobs');
  await page.getByText('<img src=x').waitFor();
  await page.getByText('RLO').waitFor();
  await shoot(page, 'jobs-hostile');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1440);
  expect(await page.locator('main img').count()).toBe(0);
  expect(bed.errors).toEqual([]);
});

test('nothing yet, and nothing that fits', async () => {
  Object.assign(sample, { open: [], finished: [] });
  const page = await bed.open('/jobs');
  await page.getByText('No job yet').waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.goto(`${bed.server.origin}/jobs?q=nothing`);
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await page.waitForURL('**/jobs');
});

test('a browser whose language has no name is shown the page all the same', async () => {
  const page = await bed.open('/jobs', { options: { locale: 'en-US@posix' } });
  await page.getByText('TR-0136 Drainage S2').waitFor();
  expect(bed.errors).toEqual([]);
});

test('a fault of a view is told in its place, and the others are there', async () => {
  const page = await bed.open('/jobs');
  await page.getByText('TR-0136 Drainage S2').waitFor();
  await page.evaluate(`
    window.kept = Number.prototype.toLocaleString;
    Number.prototype.toLocaleString = () => { throw new RangeError('none') };
    document.querySelector('button.chip[aria-pressed=false]').click();
  `);
  await page.getByText('That is a fault of this page.').waitFor();
  expect(bed.errors.join()).toContain('RangeError');
  await page.evaluate('Number.prototype.toLocaleString = window.kept');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Waits for me' }).waitFor();
});
