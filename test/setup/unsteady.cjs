// A suite that failed beside all the others is run again by itself. Only where it then passes each time is
// it called unsteady: told by name at the end, and no reason to refuse a landing. More than a few at once are
// no chance, and count.

/** More files than this are not run again. */
const MOST_FILES = 2;
/** How often a file must pass by itself. */
const LOOKS = 3;
/** No further look begins after this; one is always taken. */
const ENOUGH_MS = 120_000;

/** The files that deserve another look: absolute paths, none where too many failed. `results` are jest's. */
function filesToLookAt(results) {
  const files = results.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
  return files.length <= MOST_FILES ? files : [];
}

/**
 * Takes the looks, with `run(files)` giving jest's results of these files alone. Answers the files that
 * passed in all of them. Throws what `run` throws.
 */
async function findUnsteady(files, run, now = () => performance.now()) {
  let steady = files;
  const began = now();
  for (let look = 0; look < LOOKS && steady.length > 0; look++) {
    if (look > 0 && now() - began > ENOUGH_MS) break;
    const { testResults } = await run(steady);
    const passed = new Set(testResults.filter(({ status }) => status === 'passed').map(({ name }) => name));
    steady = steady.filter(file => passed.has(file));
  }
  return steady;
}

/** What the suites come to once these files are forgiven: as many passed and failed as jest would say. */
function countWithout(results, unsteady) {
  const forgiven = new Set(unsteady);
  const isForgiven = ({ name, status }) => status === 'failed' && forgiven.has(name);
  const files = results.testResults.filter(isForgiven);
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const failedTests = tests.filter(({ status }) => status === 'failed').length;
  // A file that could not be read has no tests: it counts as one failure, and now as none.
  const unread = files.filter(
    ({ assertionResults }) => !assertionResults.some(({ status }) => status === 'failed'),
  );
  return {
    passed: results.numPassedTests + failedTests,
    failed: results.numFailedTests - failedTests + results.numRuntimeErrorTestSuites - unread.length,
  };
}

module.exports = { filesToLookAt, findUnsteady, countWithout };
