// `npm test`: everything a landing needs. Format, lint and types; the build; all suites; the product end to end on
// Node 24; the short form of the chaos suite. Ends with one line, `N passed, N failed`, over all of it, and with an exit code
// that says the same. Just before it stands by name what failed, for whoever has no more than the end of the log.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

import { build } from './build.mjs';
import { findNode24 } from './node-24.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
// What hangs is ended and counted as failed, while there is time left to say so.
const MINUTE_MS = 60_000;
const SUITES_WITHIN_MS = 40 * MINUTE_MS;
const END_TO_END_WITHIN_MS = 10 * MINUTE_MS;
const CHAOS_WITHIN_MS = 35 * MINUTE_MS;
const MOST_NAMED_A_STEP = 20;

const failures = [];
const named = [];
let passed = 0;
let failed = 0;

step('format and lint', () =>
  mustSucceed(binaryOf('@biomejs/biome', 'biome'), ['check', '--error-on-warnings', '.']),
);
step('types', () => mustSucceed(binaryOf('typescript', 'tsc'), ['--noEmit', '--project', ROOT]));
step('build', () => {
  build();
  count(1, 0);
});
step('suites', runSuites);
step('end to end on Node 24', runEndToEnd);
step('chaos, the short form', runChaos);

if (failures.length > 0) console.log(`\nFailed: ${failures.join(', ')}`);
for (const line of named) console.log(`  ${line}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && failures.length === 0 ? 0 : 1);

/** Runs one step; whatever goes wrong in it counts as a failure, and the next one runs all the same. */
function step(name, work) {
  console.log(`\n=== ${name}`);
  const failedBefore = failed;
  try {
    work();
  } catch (error) {
    console.log(error.message);
    if (failed === failedBefore) failed += 1;
  }
  if (failed > failedBefore) failures.push(name);
}

function mustSucceed(program, args) {
  const { status } = spawnSync(process.execPath, [program, ...args], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) throw new Error(`It ended with exit code ${status}.`);
  count(1, 0);
}

function runSuites() {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-results-'));
  try {
    const file = join(folder, 'results.json');
    const args = [binaryOf('jest', 'jest'), '--ci', '--json', '--outputFile', file, ...process.argv.slice(2)];
    const { status } = spawnSync(process.execPath, args, {
      cwd: ROOT,
      ...endedAfter(SUITES_WITHIN_MS),
      // With --json the results go to standard output as well; people read the other one.
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DRAWBRIDGE_TEST_VERBOSE: '1' },
    });
    const results = JSON.parse(readFileSync(file, 'utf8'));
    count(results.numPassedTests, results.numFailedTests + results.numRuntimeErrorTestSuites);
    name(failedTestsOf(results));
    const notRun = results.numPendingTests + results.numTodoTests;
    if (notRun > 0) throw new Error(`${notRun} tests did not run; none may be skipped.`);
    if (results.numTotalTests === 0 || status !== 0)
      throw new Error(`The suites ended with exit code ${status}.`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runEndToEnd() {
  const { status, stdout } = spawnSync(findNode24(), [join(ROOT, 'scripts', 'end-to-end.mjs')], {
    cwd: ROOT,
    ...endedAfter(END_TO_END_WITHIN_MS),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.stdout.write(stdout.replace(/\n[^\n]*passed[^\n]*\n$/, '\n'));
  name(stdout.split('\n').filter(line => line.startsWith('FAIL')));
  const [, passedHere, failedHere] = /(\d+) passed, (\d+) failed\s*$/.exec(stdout) ?? [];
  count(Number(passedHere ?? 0), Number(failedHere ?? 0));
  if (status !== 0 || Number(passedHere ?? 0) === 0) throw new Error(`It ended with exit code ${status}.`);
}

/** A suite that could not even be read has no tests: it is named itself. */
function failedTestsOf({ testResults }) {
  return testResults.flatMap(({ name: file, status, message, assertionResults }) => {
    const where = relative(ROOT, file);
    if (status === 'failed' && !assertionResults.some(test => test.status === 'failed'))
      return [`${where}: ${firstLineOf(message)}`];
    return assertionResults
      .filter(test => test.status === 'failed')
      .map(({ fullName, failureMessages }) => `${where}: ${fullName}: ${firstLineOf(failureMessages[0])}`);
  });
}

/** Each case counts; one that led to something that must never be counts as failed, however much it led to. */
function runChaos() {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-results-'));
  try {
    const file = join(folder, 'chaos.json');
    const program = join(ROOT, 'dist', 'test', 'chaos', 'main.js');
    const { status } = spawnSync(process.execPath, [program, '--json', file], {
      cwd: ROOT,
      ...endedAfter(CHAOS_WITHIN_MS),
      stdio: 'inherit',
    });
    const parts = JSON.parse(readFileSync(file, 'utf8'));
    for (const { cases, violations } of parts) {
      const bad = new Set(violations.map(violation => violation.case)).size;
      count(Math.max(0, cases - bad), bad);
    }
    name(
      parts.flatMap(({ part, violations }) =>
        violations.map(found => `${part} [${found.case}] ${found.invariant}: ${firstLineOf(found.what)}`),
      ),
    );
    if (status !== 0) throw new Error(`It ended with exit code ${status}.`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** For the end of the log; nobody reads more than some. */
function name(lines) {
  named.push(...lines.slice(0, MOST_NAMED_A_STEP));
  if (lines.length > MOST_NAMED_A_STEP) named.push(`and ${lines.length - MOST_NAMED_A_STEP} more`);
}

/** Without the colours that a terminal would show. */
function firstLineOf(text = '') {
  const lines = stripVTControlCharacters(String(text)).split('\n');
  return (lines.find(line => line.trim() !== '') ?? '').trim().slice(0, 200);
}

function endedAfter(ms) {
  return { timeout: ms, killSignal: 'SIGKILL' };
}

function count(good, bad) {
  passed += good;
  failed += bad;
}

function binaryOf(name, program) {
  const manifest = require.resolve(`${name}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  return join(dirname(manifest), typeof bin === 'string' ? bin : bin[program]);
}
