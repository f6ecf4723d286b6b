// `npm test`: everything a landing needs. Format, lint and types; the build; all suites; the product end to
// end on Node 24; the short form of the chaos suite. Ends with one line, `N passed, N failed`, over all of
// it, and with an exit code that says the same. Just before it stands by name what failed, for whoever has
// no more than the end of the log, and what was unsteady (test/setup/unsteady.cjs).
//
// Less of it, while one works: `npm test -- --room share` runs the tests of one room, `npm
// run test:unit` those that need no server. Both take what jest takes besides, as in `npm
// test -- --room share -t "settles"`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

import { build } from './build.mjs';
import { listRooms, listUnitTests, needTemporal, testsOfRoom } from './choose-tests.mjs';
import { findNode24 } from './node-24.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const { countWithout, filesToLookAt, findUnsteady } = require('../test/setup/unsteady.cjs');
// What hangs is ended and counted as failed, while there is time left to say so.
const MINUTE_MS = 60_000;
const SUITES_WITHIN_MS = 40 * MINUTE_MS;
const END_TO_END_WITHIN_MS = 10 * MINUTE_MS;
const CHAOS_WITHIN_MS = 55 * MINUTE_MS;
const MOST_NAMED_A_STEP = 20;
const LINT = ['check', '--error-on-warnings', '.'];

const [kind, ...given] = process.argv.slice(2);
if (kind === '--room') process.exit(await runRoom(...given));
if (kind === '--unit') process.exit(await runSome(listUnitTests(), given));

const failures = [];
const named = [];
const unsteady = [];
let passed = 0;
let failed = 0;

// What waits a lot runs beside each other; what people want to follow is shown as it
// comes, the rest when it has ended. What has to be fetched where nothing is kept from an earlier run is
// fetched here, for that waits the most.
await Promise.all([
  step('Temporal CLI', fetchTemporalCli),
  step('format and lint', tally => mustSucceed(tally, binaryOf('@biomejs/biome', 'biome'), LINT)),
  step('types', async tally => {
    for (const project of [ROOT, join(ROOT, 'client', 'console', 'page')])
      await mustSucceed(tally, binaryOf('typescript', 'tsc'), ['--noEmit', '--project', project]);
  }),
  step('dead exports', tally => mustSucceed(tally, join(ROOT, 'scripts', 'find-dead-exports.mjs'), [])),
  step('build', tally => {
    build();
    tally.passed += 1;
  }),
  step('Node 24', () => void findNode24()),
]);
await step('suites', runSuites);
await Promise.all([step('end to end on Node 24', runEndToEnd), step('chaos, the short form', runChaos)]);

if (failures.length > 0) console.log(`\nFailed: ${failures.join(', ')}`);
for (const line of named) console.log(`  ${line}`);
if (unsteady.length > 0)
  console.log('\nUnsteady, failed beside the others and passed alone. Each is a fault to find:');
for (const line of unsteady) console.log(`  ${line}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && failures.length === 0 ? 0 : 1);

async function runRoom(room, ...rest) {
  const tests = room === undefined ? undefined : testsOfRoom(room);
  if (tests !== undefined && tests.length > 0) return await runSome(tests, rest);
  if (tests !== undefined)
    console.log(`No test stands below test/ for ${room}: it is tested by those around it.`);
  const rooms = [...listRooms()].map(([name, folders]) => `  ${name.padEnd(18)} ${folders.join(', ')}`);
  console.log(`npm test -- --room NAME, with one of these names or folders:\n${rooms.join('\n')}`);
  return 2;
}

/** Where no test needs Temporal, none is started. */
async function runSome(tests, rest) {
  const config = needTemporal(tests) ? 'jest.config.js' : 'test/setup/without-temporal.config.cjs';
  const args = [
    binaryOf('jest', 'jest'),
    '--config',
    join(ROOT, config),
    ...rest,
    '--runTestsByPath',
    ...tests,
  ];
  const { status } = await run(process.execPath, args, { withinMs: SUITES_WITHIN_MS, stdio: 'inherit' });
  return typeof status === 'number' ? status : 1;
}

/** Runs one step; whatever goes wrong in it counts as a failure, and the next one runs all the same. */
async function step(name, work) {
  const tally = { passed: 0, failed: 0, named: [], output: '' };
  const began = performance.now();
  try {
    await work(tally);
  } catch (error) {
    tally.output += `${error.message}\n`;
    tally.failed = Math.max(1, tally.failed);
  }
  const seconds = Math.round((performance.now() - began) / 1_000);
  console.log(`\n=== ${name}: ${tally.passed} passed, ${tally.failed} failed, ${seconds} s\n${tally.output}`);
  passed += tally.passed;
  failed += tally.failed;
  // For the end of the log; nobody reads more than some.
  named.push(...tally.named.slice(0, MOST_NAMED_A_STEP));
  const more = tally.named.length - MOST_NAMED_A_STEP;
  if (more > 0) named.push(`and ${more} more`);
  if (tally.failed > 0) failures.push(name);
}

/** From the sources: the build has only begun. */
async function fetchTemporalCli() {
  const setup = join(ROOT, 'test', 'setup');
  const args = ['-r', join(setup, 'typescript-hook.cjs'), join(setup, 'fetch-temporal-cli.ts')];
  const { status } = await run(process.execPath, args, {
    withinMs: SUITES_WITHIN_MS,
    stdio: ['ignore', 'ignore', 'inherit'],
    // Where Go has to build it, a sixth less CPU for more memory, within a bound for each of its compilers.
    env: { GOGC: '400', GOMEMLIMIT: '1GiB', ...process.env },
  });
  if (status !== 0) throw new Error(`There is none; the search ended with exit code ${status}.`);
}

async function mustSucceed(tally, program, args) {
  const { status, output } = await run(process.execPath, [program, ...args]);
  tally.output += output;
  if (status !== 0) throw new Error(`It ended with exit code ${status}.`);
  tally.passed += 1;
}

async function runSuites(tally) {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-results-'));
  try {
    const { status, results } = await runJest(folder, process.argv.slice(2));
    const again = files => runJest(folder, ['--runInBand', '--runTestsByPath', ...files]);
    const looked = filesToLookAt(results);
    if (looked.length > 0) console.log(`\n=== once more, alone: ${looked.map(nameOf).join(', ')}`);
    const steady = new Set(await findUnsteady(looked, async files => (await again(files)).results));
    const { passed, failed } = countWithout(results, [...steady]);
    tally.passed += passed;
    tally.failed += failed;
    for (const { file, text } of failedTestsOf(results))
      (steady.has(file) ? unsteady : tally.named).push(text);
    tally.output += `The slowest:\n${slowestOf(results).join('\n')}\n`;
    const notRun = results.numPendingTests + results.numTodoTests;
    if (notRun > 0) throw new Error(`${notRun} tests did not run; none may be skipped.`);
    const isForgiven = steady.size > 0 && failed === 0;
    if (results.numTotalTests === 0 || (status !== 0 && !isForgiven))
      throw new Error(`The suites ended with exit code ${status}.`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runJest(folder, rest) {
  const file = join(folder, 'results.json');
  rmSync(file, { force: true });
  const args = [binaryOf('jest', 'jest'), '--ci', '--json', '--outputFile', file, ...rest];
  const { status } = await run(process.execPath, args, {
    withinMs: SUITES_WITHIN_MS,
    // With --json the results go to standard output as well; people read the other one.
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DRAWBRIDGE_TEST_VERBOSE: '1' },
  });
  return { status, results: JSON.parse(readFileSync(file, 'utf8')) };
}

async function runEndToEnd(tally) {
  const { status, output } = await run(findNode24(), [join(ROOT, 'scripts', 'end-to-end.mjs')], {
    withinMs: END_TO_END_WITHIN_MS,
  });
  tally.output += output.replace(/\n[^\n]*passed[^\n]*\n$/, '\n');
  tally.named.push(...output.split('\n').filter(line => line.startsWith('FAIL')));
  const [, passedHere, failedHere] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  tally.passed += Number(passedHere ?? 0);
  tally.failed += Number(failedHere ?? 0);
  if (status !== 0 || Number(passedHere ?? 0) === 0) throw new Error(`It ended with exit code ${status}.`);
}

function slowestOf({ testResults }) {
  return testResults
    .map(({ name: file, startTime, endTime }) => ({ file, seconds: (endTime - startTime) / 1_000 }))
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, MOST_NAMED_A_STEP)
    .map(({ file, seconds }) => `  ${seconds.toFixed(1).padStart(6)} s  ${nameOf(file)}`);
}

function nameOf(file) {
  return relative(ROOT, file);
}

/** A suite that could not even be read has no tests: it is named itself. */
function failedTestsOf({ testResults }) {
  return testResults.flatMap(({ name: file, status, message, assertionResults }) => {
    const where = nameOf(file);
    if (status === 'failed' && !assertionResults.some(test => test.status === 'failed'))
      return [{ file, text: `${where}: ${firstLineOf(message)}` }];
    return assertionResults
      .filter(test => test.status === 'failed')
      .map(({ fullName, failureMessages }) => ({
        file,
        text: `${where}: ${fullName}: ${firstLineOf(failureMessages[0])}`,
      }));
  });
}

/**
 * Each case counts; one that led to something that must never be counts as failed, however much it led to.
 */
async function runChaos(tally) {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-results-'));
  try {
    const file = join(folder, 'chaos.json');
    const program = join(ROOT, 'dist', 'test', 'chaos', 'main.js');
    const { status } = await run(process.execPath, [program, '--json', file], {
      withinMs: CHAOS_WITHIN_MS,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    for (const { part, cases, violations } of JSON.parse(readFileSync(file, 'utf8'))) {
      const bad = new Set(violations.map(violation => violation.case)).size;
      tally.passed += Math.max(0, cases - bad);
      tally.failed += bad;
      for (const found of violations)
        tally.named.push(`${part} [${found.case}] ${found.invariant}: ${firstLineOf(found.what)}`);
    }
    if (status !== 0) throw new Error(`It ended with exit code ${status}.`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Without the colours that a terminal would show. */
function firstLineOf(text = '') {
  const lines = stripVTControlCharacters(String(text)).split('\n');
  return (lines.find(line => line.trim() !== '') ?? '').trim().slice(0, 200);
}

/** Its end, and what it wrote where that is not shown as it comes. What hangs is killed. */
async function run(program, args, { withinMs = MINUTE_MS * 10, stdio, env } = {}) {
  const child = spawn(program, args, {
    cwd: ROOT,
    stdio: stdio ?? ['ignore', 'pipe', 'pipe'],
    ...(env === undefined ? {} : { env }),
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), withinMs);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', text => {
      output += text;
    });
  }
  try {
    const [code, signal] = await once(child, 'close');
    return { status: code ?? signal, output };
  } finally {
    clearTimeout(timer);
  }
}

function binaryOf(name, program) {
  const manifest = require.resolve(`${name}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  return join(dirname(manifest), typeof bin === 'string' ? bin : bin[program]);
}
