// A process that runs named tests again and again in one copy of the tree: jest is loaded once, its caches
// stay warm. What hangs is ended with the process, from outside.
import { runCLI } from 'jest';

export interface Order {
  readonly root: string;
  readonly tests: readonly string[];
  readonly only?: string | undefined;
  /** Whether the tests need the Temporal server and the bundles that the set-up of the suites makes. */
  readonly needsTemporal: boolean;
  /** Most that one test may take, in ms. */
  readonly mostMs?: number | undefined;
}

export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  /** Suites that could not even be loaded. */
  readonly broken: number;
  readonly detail: string;
  /** Full names of the tests that failed for another reason than their time. */
  readonly failedTests: readonly string[];
  /** How many only took too long. */
  readonly timedOut: number;
}

const TIMED_OUT = /Exceeded timeout of \d+ ms/;

process.on('message', (order: Order) => {
  void obey(order).then(
    outcome => process.send?.(outcome),
    (error: unknown) =>
      process.send?.({
        passed: 0,
        failed: 0,
        broken: 1,
        detail: String(error),
        failedTests: [],
        timedOut: 0,
      } satisfies Outcome),
  );
});

// Nobody is left to tell.
process.on('disconnect', () => process.exit());

async function obey({ root, tests, only, needsTemporal, mostMs }: Order): Promise<Outcome> {
  const { globalSetup, globalTeardown, ...plain } = require(`${root}/jest.config.js`);
  const config = needsTemporal ? { ...plain, globalSetup, globalTeardown } : plain;
  const { results } = await runCLI(
    {
      $0: 'mutate',
      _: tests.map(test => `${root}/${test}`),
      config: JSON.stringify({ ...config, rootDir: root }),
      runTestsByPath: true,
      runInBand: true,
      ci: true,
      silent: true,
      reporters: [],
      ...(only === undefined ? {} : { testNamePattern: only }),
      ...(mostMs === undefined ? {} : { testTimeout: mostMs }),
    },
    [root],
  );
  const failed = results.testResults.flatMap(({ testResults }) =>
    testResults.filter(({ status }) => status === 'failed'),
  );
  const inTime = failed.filter(({ failureMessages }) => !failureMessages.every(text => TIMED_OUT.test(text)));
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests,
    broken: results.numRuntimeErrorTestSuites,
    detail: results.testResults.map(({ failureMessage }) => failureMessage ?? '').join('\n'),
    failedTests: inTime.map(({ fullName }) => fullName),
    timedOut: failed.length - inTime.length,
  };
}
