// The order of the suites: those that start processes or wait for servers first, so that none of them is left over at the
// end, alone on a machine that has nothing else to do. The rest as jest has it: by the time it took last, or by size.
const { default: Sequencer } = require('@jest/test-sequencer');

/** Below test/. */
const LONG = [
  /^end-to-end\//,
  /^activities\/share\/(kill-points|flapping|processes)\./,
  /^client\/watch/,
  /^workers\/embedded/,
];

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const [long, others] = [[], []];
    for (const test of super.sort(tests)) (isLong(test) ? long : others).push(test);
    return [...long, ...others];
  }
};

function isLong({ path, context }) {
  const below = path
    .slice(context.config.rootDir.length)
    .replaceAll('\\', '/')
    .replace(/^\/test\//, '');
  return LONG.some(pattern => pattern.test(below));
}
