// Jest's own runner (`runner` in jest.config.js). Of the test files that it would run at one time, some begin
// only while the machine has room: on a fast machine, where most of a file's time is spent waiting, all of
// them run beside each other; on a slow one no more than it can carry.
const { availableParallelism } = require('node:os');
const { default: TestRunner } = require('jest-runner');
const { Pace } = require('./pace.cjs');

class PacedRunner extends TestRunner {
  constructor(...given) {
    super(...given);
    const pace = new Pace(Math.ceil(availableParallelism() * 1.5));
    // A file is handed to a process when all who listen have answered.
    this.on('test-file-start', () => pace.begin());
    this.on('test-file-success', () => pace.end());
    this.on('test-file-failure', () => pace.end());
  }
}

/** For jest, which takes the default of a module. */
exports.__esModule = true;
exports.default = PacedRunner;
