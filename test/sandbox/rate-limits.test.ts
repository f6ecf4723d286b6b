/** Both request windows, their headers, and what counts. */
import { RateLimits } from './http/rate-limits';
import { RawClient, send } from './raw-client';
import { DEFAULT_SETTINGS, type SandboxSettings } from './settings';

describe('the windows', () => {
  const settings: SandboxSettings = {
    ...DEFAULT_SETTINGS,
    limits: { hourly: 40, spike: 25, spikeWindowSeconds: 10 },
  };
  const start = 1_700_000_000_000;

  test('25 in ten seconds, then nothing until the window ends', () => {
    const limits = new RateLimits();
    const allowed = Array.from({ length: 30 }, (_, n) => limits.admit(settings, start + n).allowed);
    expect(allowed.filter(Boolean)).toHaveLength(25);
    expect(limits.admit(settings, start + 9_999).allowed).toBe(false);
    expect(limits.admit(settings, start + 10_000).allowed).toBe(true);
  });

  test('the headers speak of the window that will be exhausted first', () => {
    const limits = new RateLimits();
    const first = limits.admit(settings, start);
    expect(first.headers).toEqual({
      'X-Rate-Limit-Limit': '25',
      'X-Rate-Limit-Remaining': '24',
      'X-Rate-Limit-Reset': String(start / 1000 + 10),
    });
    for (let n = 1; n < 25; n += 1) limits.admit(settings, start);
    const later = limits.admit(settings, start + 10_000);
    expect(later.headers).toMatchObject({ 'X-Rate-Limit-Limit': '40', 'X-Rate-Limit-Remaining': '14' });
  });

  test('the hour holds although the spike window is new', () => {
    const limits = new RateLimits();
    let count = 0;
    for (let at = start; at < start + 3_600_000; at += 1_000)
      if (limits.admit(settings, at).allowed) count += 1;
    expect(count).toBe(40);
    expect(limits.admit(settings, start + 3_600_000).allowed).toBe(true);
  });

  test('refused requests do not count', () => {
    const limits = new RateLimits();
    for (let n = 0; n < 100; n += 1) limits.admit(settings, start);
    const next = limits.admit(settings, start + 10_000);
    expect([next.allowed, next.headers['X-Rate-Limit-Remaining']]).toEqual([true, '14']);
  });

  test('a window never ends later than its reset says', () => {
    const limits = new RateLimits();
    for (const offset of [0, 1, 499, 999]) {
      limits.reset();
      const { headers } = limits.admit(settings, start + offset);
      for (let n = 0; n < 24; n += 1) limits.admit(settings, start + offset);
      expect(limits.admit(settings, Number(headers['X-Rate-Limit-Reset']) * 1000).allowed).toBe(true);
    }
  });

  test('the clock shortens the windows', () => {
    const limits = new RateLimits();
    const fast = { ...settings, timeScale: 100 };
    for (let n = 0; n < 25; n += 1) limits.admit(fast, start);
    expect(limits.admit(fast, start + 99).allowed).toBe(false);
    expect(limits.admit(fast, start + 100).allowed).toBe(true);
  });
});

describe('over HTTP', () => {
  let client: RawClient;

  beforeEach(async () => {
    client = await RawClient.start({
      settings: { limits: { hourly: 3_600, spike: 5, spikeWindowSeconds: 10 }, timeScale: 5 },
    });
  });

  afterEach(() => client.close());

  const users = () => client.api('GET', '/rest/v1.0/projects/7001/users/9001');
  const violations = async () => (await client.control.violations()).map(({ what }) => what);

  test('every answer of the API carries the headers, errors too; the token endpoint does not', async () => {
    expect((await client.signIn()).headers).not.toHaveProperty('x-rate-limit-remaining');
    expect((await users()).headers['x-rate-limit-remaining']).toBe('4');
    client.token = 'wrong';
    expect((await users()).headers['x-rate-limit-remaining']).toBe('3');
  });

  test('the sixth request is 429 with Reset and Retry-After, and waiting until the reset is enough', async () => {
    for (let n = 0; n < 5; n += 1) expect((await users()).status).toBe(200);
    const over = await users();
    expect(over.status).toBe(429);
    expect(over.headers['retry-after']).toMatch(/^[1-3]$/);
    const reset = Number(over.headers['x-rate-limit-reset']) * 1000;
    await new Promise(resolve => setTimeout(resolve, reset - Date.now()));
    expect((await users()).status).toBe(200);
    expect(await violations()).toEqual([]);
  });

  test('asking while the window is known to be spent is a violation', async () => {
    for (let n = 0; n < 5; n += 1) await users();
    await new Promise(resolve => setTimeout(resolve, 300));
    expect((await users()).status).toBe(429);
    expect(await violations()).toEqual(['request-while-limited']);
  });

  test('calls to the authentication host count when so set', async () => {
    await client.control.configure({ authCountsAgainstLimit: true });
    expect((await client.signIn()).headers['x-rate-limit-remaining']).toBe('4');
    expect((await users()).headers['x-rate-limit-remaining']).toBe('3');
  });

  test('bytes sent to storage do not count', async () => {
    const { segments } = (await client.openFile('a.dwg', Buffer.from('x'))).json.data;
    const put = await send('PUT', segments[0].url, { headers: segments[0].headers, body: Buffer.from('x') });
    expect(put.headers).not.toHaveProperty('x-rate-limit-remaining');
    expect((await users()).headers['x-rate-limit-remaining']).toBe('3');
  });

  test('without limits there are no headers', async () => {
    await client.control.configure({ limits: null });
    expect((await users()).headers).not.toHaveProperty('x-rate-limit-limit');
  });
});
