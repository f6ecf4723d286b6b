// For tests that need no Temporal server: as jest.config.js has it, and nothing is started before them.
const { globalSetup, globalTeardown, ...plain } = require('../../jest.config.js');

module.exports = { ...plain, rootDir: '../..' };
