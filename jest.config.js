// Tests run on the sources through swc; the real Temporal server they need is started once,
// by test/setup/global-setup.ts.
const { availableParallelism } = require('node:os');

module.exports = {
  runner: '<rootDir>/test/setup/paced-runner.cjs',
  runtime: '<rootDir>/test/setup/kept-code.cjs',
  testEnvironment: '<rootDir>/test/setup/leak-guard.cjs',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: {
    '^.+\\.(t|j)s$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
    ],
  },
  // chokidar 5 and its reader are ES modules; jest's own loader needs them as CommonJS.
  transformIgnorePatterns: ['/node_modules/(?!(chokidar|readdirp)/)'],
  // hucre's files are .mjs, which jest's own loader never takes for anything else: Node loads them.
  moduleNameMapper: {
    '^hucre(/(xlsx|xml))?$': '<rootDir>/test/setup/load-hucre.cjs',
    '^openid-client$': '<rootDir>/test/setup/load-openid-client.cjs',
    '/workflow/threaded-vm$': '<rootDir>/test/setup/threaded-vm.cjs',
    '/thread-preloads$': '<rootDir>/test/setup/thread-preloads.cjs',
  },
  // Half of their time and more is spent waiting, for processes, servers and timers: more at a time than
  // there are cores. The last half of them begins while the machine has room (the runner).
  maxWorkers: availableParallelism() * 3,
  testSequencer: '<rootDir>/test/setup/longest-first.cjs',
  // It ends what hangs, on a machine that is busy with other things as well.
  testTimeout: 120_000,
  globalSetup: '<rootDir>/test/setup/global-setup.ts',
  globalTeardown: '<rootDir>/test/setup/global-teardown.ts',
};
