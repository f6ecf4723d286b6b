// The order of the suites: those that start processes or wait for servers first, so that none of them is
// left over at the end, alone on a machine that has nothing else to do. The rest as jest has it: by the
// time it took last, or by size.
const { default: Sequencer } = require('@jest/test-sequencer');

const LONG = [
  /^test\/end-to-end\//,
  /^test\/workflows\/(replay|ingest\/outages)\./,
  /^test\/activities\/share\/(kill-points|flapping|processes)\./,
  /^test\/client\/watch\//,
  /^test\/workers\/temporal\/embedded/,
];

class LongestFirst extends Sequencer {
  sort(tests) {
    const [long, others] = [[], []];
    for (const test of super.sort(tests)) {
      const path = test.path.slice(test.context.config.rootDir.length + 1).replaceAll('\\', '/');
      (isLong(path) ? long : others).push(test);
    }
    return [...long, ...others];
  }
}

/** @param path relative to the root */
function isLong(path) {
  return LONG.some(pattern => pattern.test(path));
}

module.exports = LongestFirst;
module.exports.isLong = isLong;
