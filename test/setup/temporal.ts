// What global-setup.ts has started for all suites: one real Temporal server and one prebuilt workflow bundle.

export interface TestTemporal {
  /** host:port of the server. */
  readonly address: string;
  /** File of the workflow bundle. */
  readonly bundlePath: string;
}

/** Throws when the set-up did not run: a suite that needs a server must never go on without one. */
export function testTemporal(): TestTemporal {
  const address = process.env.DRAWBRIDGE_TEST_TEMPORAL_ADDRESS;
  const bundlePath = process.env.DRAWBRIDGE_TEST_BUNDLE;
  if (address === undefined || bundlePath === undefined) {
    throw new Error('No Temporal server for the tests: run them through jest.config.js, which starts one.');
  }
  return { address, bundlePath };
}

/** File of the workflow bundle with command-recorder.ts in it. */
export function recordingBundle(): string {
  const path = process.env.DRAWBRIDGE_TEST_RECORDING_BUNDLE;
  if (path === undefined) throw new Error('No bundle for comparing: run the tests through jest.config.js.');
  return path;
}
