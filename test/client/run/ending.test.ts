// Which signal ends what: a terminal that is closed, and a service that is told to open its log anew.
import { listenForEnding } from '../../../client/run/ending';

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

test('any number of shares may listen for the end', () => {
  const ending = listenForEnding();
  ending.dispose();
  // Where Node keeps it; what it answers itself refuses the signals of a test's own world.
  const limits = Object.getOwnPropertySymbols(ending.signal)
    .filter(symbol => /maxEventTargetListeners$/.test(symbol.description ?? ''))
    .map(symbol => Reflect.get(ending.signal, symbol));
  expect(limits).toEqual([0]);
});
