// A process that runs named tests again and again in one copy of the tree: jest is loaded once, its caches
// stay warm. What hangs is ended with the process, from outside.
import { runCLI } from 'jest';

export interface Order {
  readonly root: string;
  readonly tests: readonly string[];
  readonly only?: string | undefined;
  /** Whether the tests need the Temporal server and the bundles that the set-up of the suites makes. */
  readonly needsTemporal: boolean;
}

export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  /** Suites that could not even be loaded. */
  readonly broken: number;
  readonly detail: string;
  /** Full names of the tests that failed. */
  readonly failedTests: readonly string[];
}

process.on('message', (order: Order) => {
  void obey(order).then(
    outcome => process.send?.(outcome),
    (error: unknown) =>
      process.send?.({ passed: 0, failed: 0, broken: 1, detail: String(error), failedTests: [] }),
  );
});

// Nobody is left to tell.
process.on('disconnect', () => process.exit());

async function obey({ root, tests, only, needsTemporal }: Order): Promise<Outcome> {
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
    },
    [root],
  );
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests,
    broken: results.numRuntimeErrorTestSuites,
    detail: results.testResults.map(({ failureMessage }) => failureMessage ?? '').join('\n'),
    failedTests: results.testResults.flatMap(({ testResults }) =>
      testResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
    ),
  };
}
