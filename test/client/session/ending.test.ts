// Which signal ends what: a terminal that is closed, and a service that is told to open its log anew.
import { listenForEnding, untilEnded } from '../../../client/session/ending';

test.each([
  ['SIGHUP', true, true],
  ['SIGHUP', false, false],
  ['SIGTERM', false, true],
  ['SIGINT', true, true],
] as const)('%s, with a terminal %s: ends %s', (signal, hasTerminal, ends) => {
  const ending = listenForEnding(() => undefined, hasTerminal);
  try {
    process.emit(signal, signal);
    expect(ending.signal.aborted).toBe(ends);
  } finally {
    ending.dispose();
  }
});

test('who insists ends the process at once; a Ctrl-C that comes by two ways is one', () => {
  const clock = jest.spyOn(performance, 'now');
  const done: string[] = [];
  const exit = jest.spyOn(process, 'exit').mockImplementation(code => {
    done.push(`exit ${code}`);
    return undefined as never;
  });
  const ending = listenForEnding(() => done.push('said'));
  try {
    for (const atMs of [5_000, 5_010, 5_700]) {
      clock.mockReturnValue(atMs);
      process.emit('SIGTERM', 'SIGTERM');
    }
    expect(done).toEqual([]);
    clock.mockReturnValue(5_701);
    process.emit('SIGINT', 'SIGINT');
    expect(done).toEqual(['said', 'exit 130']);
    expect(ending.askedBy()).toBe('SIGTERM');
  } finally {
    ending.dispose();
    exit.mockRestore();
    clock.mockRestore();
  }
});

test('any number of shares may listen for the end', () => {
  const ending = listenForEnding();
  ending.dispose();
  // Where Node keeps it; what it answers itself refuses the signals of a test's own world.
  const limits = Object.getOwnPropertySymbols(ending.signal)
    .filter(symbol => /maxEventTargetListeners$/.test(symbol.description ?? ''))
    .map(symbol => Reflect.get(ending.signal, symbol));
  expect(limits).toEqual([0]);
});

test('what still waited when the end was asked for may say so by its reason; other faults are told', async () => {
  const controller = new AbortController();
  const ending = { signal: controller.signal, dispose: () => undefined };
  const failing = (error: unknown) => untilEnded(ending, () => Promise.reject(error));
  const [reason, other] = [new Error('ended by SIGTERM'), new Error('ended by SIGTERM')];
  await expect(failing(reason)).rejects.toBe(reason);
  controller.abort(reason);
  await failing(reason);
  await failing(new DOMException('This operation was aborted', 'AbortError'));
  await expect(failing(other)).rejects.toBe(other);
});
