// A server that ends by itself comes back; one that keeps ending is given up; one
// that is stopped stays stopped.
import { setImmediate as turn } from 'node:timers/promises';
import { keepRunning, type Part } from '../../../client/run/keep-running';

class FakePart implements Part {
  readonly exited: Promise<void>;
  stops = 0;
  answers: () => Promise<boolean> = () => Promise.resolve(true);
  end: () => void = () => undefined;

  constructor() {
    this.exited = new Promise(resolve => {
      this.end = resolve;
    });
  }

  stop(): Promise<void> {
    this.stops += 1;
    this.end();
    return Promise.resolve();
  }
}

function keep() {
  const parts = [new FakePart()];
  const events: string[] = [];
  const waiters: (() => void)[] = [];
  const kept = keepRunning({
    first: parts[0]!,
    again: () => {
      const next = new FakePart();
      parts.push(next);
      return Promise.resolve(next);
    },
    onEnded: () => void events.push('ended'),
    onSilent: () => void events.push('silent'),
    asking: { everyMs: 1, silentForMs: 5 },
    onBack: () => {
      events.push('back');
      for (const wake of waiters.splice(0)) wake();
    },
  });
  return { kept, parts, events, back: () => new Promise<void>(resolve => waiters.push(resolve)) };
}

describe('a server that is kept running', () => {
  test('is started again when it ends by itself', async () => {
    const { kept, parts, events, back } = keep();
    const isBack = back();
    parts[0]!.end();
    await isBack;
    expect(events).toEqual(['ended', 'back']);
    await kept.stop();
    expect(parts.map(part => part.stops)).toEqual([0, 1]);
  });

  test('is not started again once it is stopped', async () => {
    const { kept, parts, events } = keep();
    await kept.stop();
    expect(parts).toHaveLength(1);
    expect(events).toEqual([]);
  });

  test('is stopped while it waits for its next start', async () => {
    const { kept, parts, events } = keep();
    parts[0]!.end();
    while (!events.includes('ended')) await turn();
    await kept.stop();
    expect(parts).toHaveLength(1);
    expect(events).not.toContain('back');
  });

  test('that lives and answers nobody is ended and started anew; one that answers in between is left alone', async () => {
    const { kept, parts, events, back } = keep();
    const isBack = back();
    const answers = [false, false, false, false, true];
    let asked = 0;
    parts[0]!.answers = () => Promise.resolve(answers[asked++] ?? false);
    await isBack;
    expect(events).toEqual(['silent', 'back']);
    expect(parts.map(part => part.stops)).toEqual([1, 0]);
    // After its answer it had all of its time again.
    expect(asked).toBe(10);
    await kept.stop();
  });

  test('is not called silent for the time in which nobody could ask it', async () => {
    const { kept, parts, events } = keep();
    // Each question ends after an hour in which this machine stood still.
    let nowMs = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    let asked = 0;
    parts[0]!.answers = () => {
      nowMs += 3_600_000;
      asked += 1;
      return Promise.resolve(asked % 2 === 0);
    };
    while (asked < 4 && events.length === 0) await turn();
    clock.mockRestore();
    expect(events).toEqual([]);
    await kept.stop();
  });

  test('is given up when it cannot be started again', async () => {
    const first = new FakePart();
    const kept = keepRunning({
      first,
      again: () => Promise.reject(new Error('port taken')),
      onEnded: () => undefined,
      onBack: () => undefined,
    });
    first.end();
    await expect(kept.failed).rejects.toThrow('port taken');
    await kept.stop();
  });

  test('is given up when it keeps ending', async () => {
    const { kept, parts, back } = keep();
    for (let ends = 0; ends < 4; ends += 1) {
      const isBack = back();
      parts.at(-1)!.end();
      await isBack;
    }
    const isBack = back().then(() => 'back once more');
    parts.at(-1)!.end();
    const failed = kept.failed.catch(String);
    expect(await Promise.race([failed, isBack])).toMatch('5 times within a minute');
    await kept.stop();
  });
});
