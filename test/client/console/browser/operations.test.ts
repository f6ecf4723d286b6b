// Operations in a browser: an outage seen, what stopped short looked at and resumed, the day read.
import type { OperationsPage, ResumeTold } from '../../../../client/console/contract/operations';
import { type BrowserBed, findBarriers, openBrowserBed, shoot } from './browser-bed';

const NOW = new Date();
const QUARTER_MS = 15 * 60_000;
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000).toISOString();
const HOSTILE = `<img src=x onerror=alert(1)> \u202egnp.exe ${'😀'.repeat(40)}`;
const well = 'h'.repeat(96);

const WELL: OperationsPage = {
  at: NOW.toISOString(),
  away: [],
  unserved: [],
  mustAct: false,
  parts: [
    { kind: 'service', share: null },
    { kind: 'storage', share: null },
    { kind: 'sign-in', share: null },
    { kind: 'temporal', share: null },
    { kind: 'share', share: 'tender' },
    { kind: 'workers', share: null },
  ].map(part => ({ ...part, state: 'here', since: null, why: null, marks: well }) as const) as never,
  marksUntil: new Date((Math.floor(NOW.getTime() / QUARTER_MS) + 1) * QUARTER_MS).toISOString(),
  stopped: [],
  notLookedAt: [],
  limits: [{ limit: 3600, remaining: 2396, fullAt: ago(-12), windowSeconds: 3600 }],
  state: {
    dropFiles: 12,
    dropIsMore: false,
    dropOldest: ago(3),
    batches: 3,
    batchesWaiting: 0,
    held: 25,
    heldOldest: ago(60 * 70),
    tokenUntil: ago(-28),
    version: '0.2.0',
    workers: null,
    otherRuns: 0,
    temporalHref: 'http://127.0.0.1:8233',
  },
  day: {
    numbers: {
      submitted: Array.from({ length: 96 }, (_, place) => (place < 20 ? null : (place * 37) % 90)),
      requests: Array.from({ length: 96 }, (_, place) => (place < 20 ? null : (place * 91) % 800)),
      drop: Array.from({ length: 96 }, (_, place) => (place > 90 ? place * 10 : 4)),
      answerMs: Array.from({ length: 96 }, () => null),
      held: Array.from({ length: 96 }, (_, place) => Math.floor(place / 4)),
      setApart: Array.from({ length: 96 }, (_, place) => (place % 17 === 0 ? 3 : 0)),
      batches: Array.from({ length: 96 }, (_, place) => 3 + (place % 5)),
      bytes: Array.from({ length: 96 }, (_, place) => place * 7_400_000),
      left: Array.from({ length: 96 }, (_, place) => 3_600 - (place % 4) * 850),
      refused: Array.from({ length: 96 }, () => 0),
    },
    requestsLimit: 900,
  },
};
const AWAY: OperationsPage = {
  ...WELL,
  away: [
    {
      kind: 'service',
      share: null,
      since: ago(34),
      why: `503 ${HOSTILE}`,
      batches: 20,
      documents: 1_840,
      nextTry: ago(-0.3),
    },
  ],
  parts: WELL.parts.map(part =>
    part.kind === 'service'
      ? {
          ...part,
          state: 'away',
          since: ago(34),
          why: '503',
          marks: `${'h'.repeat(26)}sss${'h'.repeat(64)}aaa`,
        }
      : part,
  ),
  state: { ...WELL.state, batches: 23, batchesWaiting: 20, dropFiles: 1_262 },
};
const STOPPED: OperationsPage = {
  ...WELL,
  mustAct: true,
  stopped: [
    {
      key: 'right',
      state: 'blocked',
      cause: 'Project 4411: this account may not submit.',
      cure: 'Give “tender-bot” the right Submit, then resume.',
      shares: ['tender'],
      batches: 2,
      documents: 112,
      since: ago(60 * 60),
      goesOnByItself: false,
      mayResume: true,
    },
    {
      key: 'ended',
      state: 'terminated',
      cause: HOSTILE,
      cure: null,
      shares: ['tender'],
      batches: 1,
      documents: 8,
      since: ago(60 * 90),
      goesOnByItself: false,
      mayResume: true,
    },
    {
      key: 'theirs',
      state: 'elsewhere',
      cause: 'It is carried by another Temporal: default at dc-02.',
      cure: null,
      shares: ['tender'],
      batches: 1,
      documents: 4,
      since: ago(20),
      goesOnByItself: true,
      mayResume: true,
    },
  ],
};
const row = (batchId: string, documents: number): ResumeTold['batches'][number] => ({
  batchId,
  share: 'tender',
  cause: 'Project 4411: this account may not submit.',
  since: ago(60),
  documents,
  deed: 'resume',
  hint: null,
  result: null,
  why: null,
});

let shown = WELL;
let asked: unknown[] = [];
let bed: BrowserBed;

beforeAll(async () => {
  bed = await openBrowserBed({
    'GET /api/operations': () => shown,
    'GET /api/operations/sign': () => ({
      isAway: shown.away.length > 0,
      mustAct: shown.mustAct,
      away: shown.away.map(({ kind, share, since }) => ({ kind, share, since })),
    }),
    'POST /api/resume': ({ body }) => {
      asked.push(body);
      const batches = [row('20261123-142000-aaaaaa', 100), row('20261123-142100-bbbbbb', 12)];
      const done = batches.map(each => ({ ...each, result: 'done' as const }));
      return { isLook: body.look, batches: body.look ? batches : done };
    },
  });
});
afterAll(async () => {
  await bed.close();
});
beforeEach(() => {
  [shown, asked] = [WELL, []];
  bed.errors.length = 0;
});

test('an outage is told with since when, what waits and that nothing is to be done, and its end without reloading', async () => {
  shown = AWAY;
  const page = await bed.open('/operations');
  await page
    .getByRole('heading', { name: /The document service has been away since .*, for 34 min/ })
    .waitFor();
  await page.getByText('20 batches with 1,840 documents wait and go on by themselves.').waitFor();
  expect(await page.getByText('There is nothing for you to do.').count()).toBe(1);
  expect(await page.getByRole('button', { name: /Resume/ }).count()).toBe(0);
  expect(await page.title()).toContain('The document service has been away since');
  await page.getByText('something is away').waitFor();
  await shoot(page, 'operations-away-light');
  await page.getByText('Live', { exact: true }).waitFor();
  shown = WELL;
  bed.changed('operations');
  await page.getByText('Everything is here.').waitFor();
  await page.getByText('something is away').waitFor({ state: 'detached' });
  expect(bed.errors).toEqual([]);
});

test('what stopped short is looked at first, and goes on when it is said, by mouse', async () => {
  shown = STOPPED;
  const page = await bed.open('/operations');
  await page.getByRole('heading', { name: '3 batches have stopped short and wait for you' }).waitFor();
  await shoot(page, 'operations-stopped-light');
  await page.getByRole('button', { name: 'Resume: look first' }).first().click();
  await page.getByText('Nothing has been done yet.').waitFor();
  expect(asked).toEqual([{ look: true, cause: 'right' }]);
  await shoot(page, 'operations-resume-light');
  await page.getByRole('button', { name: 'Resume 2' }).click();
  await page.getByText('2 batches with 112 documents go on.').waitFor();
  expect(asked[1]).toEqual({
    look: false,
    cause: 'right',
    batches: ['20261123-142000-aaaaaa', '20261123-142100-bbbbbb'],
  });
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('the same by keys; Esc does nothing but close', async () => {
  shown = STOPPED;
  const page = await bed.open('/operations');
  const all = page.getByRole('button', { name: 'Resume all: look first' });
  await all.focus();
  await page.keyboard.press('Enter');
  await page.getByText('Nothing has been done yet.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(asked).toEqual([{ look: true }]);
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Resume all: look first');
});

test.each([true, false])(
  'a link to a look opens it; where the answer to resume is lost, nobody is told that it was done, and it is looked at anew: it was done, %s',
  async wasDone => {
    shown = STOPPED;
    const page = await bed.open('/operations/resume?cause=right');
    await page.getByText('Nothing has been done yet.').waitFor();
    expect(asked).toEqual([{ look: true, cause: 'right' }]);
    await page.route('**/api/resume', async route => {
      if (wasDone) await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Resume 2' }).click();
    await page.getByText('whether they go on is not known here').waitFor();
    expect(await page.getByRole('button', { name: 'Resume 2' }).count()).toBe(0);
    await shoot(page, 'operations-resume-lost-light');
    await page.unroute('**/api/resume');
    await page.getByRole('button', { name: 'Look again' }).click();
    await page.getByText('Nothing has been done yet.').waitFor();
    expect(asked.map(body => (body as { look: boolean }).look)).toEqual(
      wasDone ? [true, false, true] : [true, true],
    );
    await page.reload();
    await page.getByText('Nothing has been done yet.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/operations');
    expect(asked).toHaveLength(wasDone ? 4 : 3);
  },
);

test('a look that is not answered has done nothing, and is not told as something that was perhaps done', async () => {
  shown = STOPPED;
  const page = await bed.open('/operations');
  await page.route('**/api/resume', route => route.abort());
  await page.getByRole('button', { name: 'Resume: look first' }).first().click();
  await page.getByRole('alert').getByText('The page’s server did not answer.').waitFor();
});

test('workers of another version than the page are told', async () => {
  const workers = { named: 3, telling: 2, versions: ['0.1.0', '0.2.0'] };
  shown = { ...WELL, state: { ...WELL.state, workers } };
  const page = await bed.open('/operations');
  await page.getByText('page 0.2.0, workers 0.1.0: update them together').waitFor();
  await page.getByText('2 of 3', { exact: true }).waitFor();
  await shoot(page, 'operations-versions-light');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1440);
  expect(await findBarriers(page)).toEqual([]);
});

test('who may resume nothing is told that an operator is waited for, without a button', async () => {
  shown = { ...STOPPED, stopped: STOPPED.stopped.map(each => ({ ...each, mayResume: false })) };
  const page = await bed.open('/operations');
  await page
    .getByRole('heading', { name: '3 batches have stopped short and wait for an operator' })
    .waitFor();
  expect(await page.getByRole('button', { name: /Resume/ }).count()).toBe(0);
});

test('arrow keys read the values of one time in all charts; each is there as a table', async () => {
  const page = await bed.open('/operations');
  const chart = page.getByRole('slider', { name: /^Submitted/ });
  await chart.focus();
  await page.keyboard.press('ArrowLeft');
  expect(await chart.getAttribute('aria-valuetext')).toContain(`${(94 * 37) % 90} in 15 min`);
  expect(await page.getByRole('slider', { name: /^Requests/ }).getAttribute('aria-valuenow')).toBe('94');
  await page.getByText('as a table').first().click();
  expect(await page.getByRole('region', { name: 'Submitted' }).last().getByRole('row').count()).toBe(77);
  expect(await page.getByText('No numbers yet').count()).toBe(1);
});

test.each(['light', 'dark'] as const)('the other numbers of the day open by a key, %s', async theme => {
  const page = await bed.open('/operations', { theme });
  const more = page.getByText('More numbers of the day');
  await more.waitFor();
  expect(await page.getByRole('slider').count()).toBe(3);
  await more.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('slider', { name: /^Held/ }).waitFor();
  expect(await page.getByRole('slider').count()).toBe(9);
  const sent = page.getByRole('slider', { name: /^Sent/ });
  expect(await sent.getAttribute('aria-valuetext')).toContain('703 MB in 15 min');
  await sent.focus();
  await page.keyboard.press('ArrowLeft');
  expect(await page.getByRole('slider', { name: /^Submitted/ }).getAttribute('aria-valuenow')).toBe('94');
  expect(await findBarriers(page)).toEqual([]);
  await shoot(page, `operations-numbers-${theme}`);
});

test.each(['light', 'dark'] as const)('axe finds nothing in any state, %s', async theme => {
  for (const [name, state] of Object.entries({ well: WELL, away: AWAY, stopped: STOPPED })) {
    shown = state;
    const page = await bed.open('/operations', { theme });
    await page.getByRole('heading', { name: 'Requests left' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await shoot(page, `operations-${name}-${theme}`);
    await page.close();
  }
  expect(bed.errors).toEqual([]);
});

test('on a phone nothing reaches over the side', async () => {
  shown = STOPPED;
  const page = await bed.open('/operations', { isPhone: true });
  await page.getByRole('heading', { name: 'Requests left' }).waitFor();
  await shoot(page, 'operations-phone-light');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});
