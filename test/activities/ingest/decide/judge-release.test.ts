import { judgeUnreleased, planLook } from '../../../../activities/ingest/decide/judge-release';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const file = { openedAtMs: 1_000, heardAtMs: 2_000, isPassed: false };
const waited = (ms: number, releasedMs: number) => ({
  nowMs: file.heardAtMs + ms,
  releasedMs,
  linkWithinMs: 20 * HOUR_MS,
});

describe('a file that is not released', () => {
  test.each([
    ['nothing else was released at all, for hours', waited(5 * HOUR_MS, 0), 'wait'],
    ['only what had been sent before it was released', waited(5 * HOUR_MS, file.heardAtMs - 1), 'wait'],
    ['what was sent with it was released', waited(5 * HOUR_MS, file.heardAtMs), 'wait'],
    ['a later one was released, but it is young', waited(9 * MINUTE_MS, file.heardAtMs + 1), 'wait'],
    ['a later one was released, ten minutes ago', waited(10 * MINUTE_MS, file.heardAtMs + 1), 'overdue'],
    ['its bytes are about to be dropped', waited(20 * HOUR_MS, file.heardAtMs + 1), 'too-old'],
  ] as const)('when %s', (_what, at, expected) => {
    expect(judgeUnreleased(file, at)).toBe(expected);
  });

  test('and that another one of its call has passed is late ten minutes after it was heard of', () => {
    const passed = { ...file, isPassed: true };
    expect(judgeUnreleased(passed, waited(9 * MINUTE_MS, 0))).toBe('wait');
    expect(judgeUnreleased(passed, waited(10 * MINUTE_MS, 0))).toBe('overdue');
  });
});

describe('looking', () => {
  test('costs an hour of an outage under a hundred requests, whatever the number of files', () => {
    for (const startMs of [0, 3 * HOUR_MS]) {
      let requests = 0;
      let waitedMs = startMs;
      for (let look = 1; waitedMs < startMs + HOUR_MS; look++) {
        const { atFirst, pauseMs } = planLook(waitedMs, look, 100);
        requests += atFirst;
        waitedMs += pauseMs;
      }
      expect(requests).toBeLessThan(100);
    }
  });

  test('begins with every file in its turn', () => {
    const firsts = Array.from({ length: 5 }, (_, index) => planLook(3 * HOUR_MS, index + 1, 5).first);
    expect(new Set(firsts)).toEqual(new Set([0, 1, 2, 3, 4]));
  });
});
