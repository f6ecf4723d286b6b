// What is forgiven a suite, and what never: failing twice, failing with many others, failing by itself now
// and then.
import { countWithout, filesToLookAt, findUnsteady } from './unsteady.cjs';

const passed = { status: 'passed' };
const failed = { status: 'failed' };
const results = {
  numPassedTests: 5,
  numFailedTests: 3,
  numRuntimeErrorTestSuites: 1,
  testResults: [
    { name: '/a', status: 'failed', assertionResults: [passed, failed] },
    { name: '/b', status: 'failed', assertionResults: [failed, failed] },
    { name: '/c', status: 'passed', assertionResults: [passed] },
  ],
};

/** Answers look after look whether each file passed. */
function looks(...answers: readonly Record<string, boolean>[]) {
  const asked: (readonly string[])[] = [];
  const run = async (files: readonly string[]) => {
    const answer = answers[asked.length] ?? {};
    asked.push(files);
    return { testResults: files.map(name => ({ name, status: answer[name] ? 'passed' : 'failed' })) };
  };
  return { asked, run };
}

test('only a few failed files are looked at again', () => {
  expect(filesToLookAt(results)).toEqual(['/a', '/b']);
  const more = { name: '/d', status: 'failed', assertionResults: [] };
  expect(filesToLookAt({ ...results, testResults: [...results.testResults, more] })).toEqual([]);
});

test('unsteady is what passes three times by itself', async () => {
  const { asked, run } = looks({ '/a': true, '/b': false }, { '/a': true }, { '/a': true });
  expect(await findUnsteady(['/a', '/b'], run)).toEqual(['/a']);
  expect(asked).toEqual([['/a', '/b'], ['/a'], ['/a']]);
});

test('a file that fails in the last look alone is no chance', async () => {
  const { run } = looks({ '/a': true }, { '/a': true }, { '/a': false });
  expect(await findUnsteady(['/a'], run)).toEqual([]);
});

test('a file that was not run did not pass', async () => {
  expect(await findUnsteady(['/a'], async () => ({ testResults: [] }))).toEqual([]);
});

test('long files are looked at once', async () => {
  const { asked, run } = looks({ '/a': true }, { '/a': false });
  let now = 0;
  const clock = () => {
    now += 121_000;
    return now;
  };
  expect(await findUnsteady(['/a'], run, clock)).toEqual(['/a']);
  expect(asked).toHaveLength(1);
});

test('what is forgiven counts as passed, the rest as it was', () => {
  expect(countWithout(results, [])).toEqual({ passed: 5, failed: 4 });
  expect(countWithout(results, ['/a'])).toEqual({ passed: 6, failed: 3 });
  const unread = { name: '/u', status: 'failed', assertionResults: [] };
  const all = { ...results, testResults: [...results.testResults, unread] };
  expect(countWithout(all, ['/a', '/b', '/u'])).toEqual({ passed: 8, failed: 0 });
});
