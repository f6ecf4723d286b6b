// Tests run on the sources through swc; the real Temporal server they need is started once,
// by test/setup/global-setup.ts.
module.exports = {
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
  // Most of them wait for processes and servers: as many at a time as there are cores,
  // jest's own default is one less.
  maxWorkers: '100%',
  testSequencer: '<rootDir>/test/setup/longest-first.cjs',
  // It ends what hangs, on a machine that is busy with other things as well.
  testTimeout: 120_000,
  globalSetup: '<rootDir>/test/setup/global-setup.ts',
  globalTeardown: '<rootDir>/test/setup/global-teardown.ts',
};
