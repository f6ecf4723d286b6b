// A short run of the whole product as a user starts it, on the Node that runs this file: real files into a
// share, out come revisions with the same bytes; then its ends, gentle and hard. Needs a build. Prints one
// line a claim and `N passed, N failed` last.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const { SandboxControl } = require('../dist/test/sandbox/control.js');

const PATIENCE_MS = 120_000;
const SPEED = '50';
const MOST_TOLD_CHARS = 4_000;
const folder = mkdtempSync(join(tmpdir(), 'drawbridge-end-to-end-'));
const drop = join(folder, 'share', 'drop');
const running = new Set();
/** Those that have ended as well: why one ended otherwise than it should stands in what it said last. */
const started = [];
let passed = 0;
let failed = 0;

const FILES = {
  'Package A/A-101 DWG & plan+rev.pdf': pdf('A-101'),
  'Package A/Ærø détail.pdf': pdf('detail'),
  'Package A/Inner/日本語 図面.dwg': randomBytes(3_000_000),
  'notes.txt': Buffer.from('notes\n'),
  'model.bin': randomBytes(12 * 1024 * 1024),
  'report.docx': randomBytes(40_000),
  'empty.pdf': Buffer.alloc(0),
};

async function main() {
  const ports = await freePorts();
  const first = start(ports);
  await claim('it starts and says where to drop files', () => waitFor(first, /Drop files here\s+(\S+)/));
  const control = new SandboxControl(`http://127.0.0.1:${ports.standIn + 3}`);

  for (const [path, content] of Object.entries(FILES)) put(path, content);
  await claim('a dropped folder is carried to its end', async () => {
    const hasArrived = path => existsIn('done', path) || existsIn('attention', path);
    await waitUntil(() => Object.keys(FILES).every(hasArrived), 'files do not arrive');
    await waitFor(first, /finished\s+batch/);
    await waitUntil(() => places().every(hasReceipt), 'the receipts do not come');
  });
  const receipt = readReceipts();
  await claim('every file is one revision with the same bytes, or set apart', async () => {
    const revisions = await control.revisions();
    for (const [path, content] of Object.entries(FILES)) {
      const name = path.split('/').at(-1);
      const found = revisions.filter(revision => revision.fileName === name);
      if (content.length === 0)
        expect(found.length === 0 && existsIn('attention', path), `${path} is not set apart`);
      else {
        expect(found.length === 1, `${path} has ${found.length} revisions`);
        expect(found[0].sha256 === sha256(content), `${path} has other bytes`);
        expect(existsIn('done', path), `${path} is not in done/`);
      }
    }
  });
  await claim('the receipt says the same', async () => {
    expect(receipt.includes('日本語 図面.dwg'), 'a name is missing');
    for (const { id } of await control.revisions()) expect(receipt.includes(id), `revision ${id} is missing`);
  });
  await claim('a register to fill lies on the share', () =>
    waitUntil(() => existsSync(join(folder, 'share', 'template.xlsx')), 'there is none'),
  );
  await claim(
    'of the sample eight go through, one is held until its row is corrected, one is set apart',
    () => tryTheSample(first),
  );
  await claim('the service saw nothing that a correct client never does', async () => {
    expect((await control.violations()).length === 0, 'there are violations');
  });
  await claim('a second start on the same data says so', async () => {
    const second = start(await freePorts());
    expect((await second.ended) === 3, 'its exit code is not 3');
    expect(/running already/.test(second.output), 'it does not say why');
  });
  await claim('SIGTERM ends all of it', async () => {
    first.child.kill('SIGTERM');
    expect((await first.ended) === 0, `its exit code is ${await first.ended}`);
    await waitUntil(() => leftOver().length === 0, 'processes are left behind');
  });

  const second = start(ports);
  await claim('it starts again on the same data', () => waitFor(second, /is running/));
  await claim('kill -9 leaves no process behind', async () => {
    put('late.pdf', pdf('late'));
    await waitFor(second, /claimed\s+late\.pdf/);
    second.child.kill('SIGKILL');
    await second.ended;
    await waitUntil(() => leftOver().length === 0, 'processes are left behind');
  });
  const third = start(ports);
  await claim('the next start goes on where it stood', async () => {
    await waitFor(third, /is running/);
    await waitUntil(() => existsIn('done', 'late.pdf'), 'late.pdf does not arrive');
    const late = (await control.revisions()).filter(revision => revision.fileName === 'late.pdf');
    expect(late.length === 1, `late.pdf has ${late.length} revisions`);
  });
  await claim('Ctrl-C ends it', async () => {
    third.child.kill('SIGINT');
    expect((await third.ended) === 0, 'its exit code is not 0');
    await waitUntil(() => leftOver().length === 0, 'processes are left behind');
  });
  const fourth = start(ports);
  await claim('a second Ctrl-C ends it at once, and nothing is left behind then either', async () => {
    await waitFor(fourth, /is running/);
    fourth.child.kill('SIGINT');
    await delay(1_000);
    fourth.child.kill('SIGINT');
    // Where draining takes less than that second, the first one was enough.
    expect([130, 0].includes(await fourth.ended), `its exit code is ${await fourth.ended}`);
    await waitUntil(() => leftOver().length === 0, 'processes are left behind');
  });
}

/** As the README has it. */
async function tryTheSample(run) {
  const name = 'Transmittal 0001';
  cpSync(join(folder, 'share', 'samples', name), join(drop, name), { recursive: true });
  await waitFor(run, /so far\s+batch \S+\s+8 revisions, 1 set apart, 1 held/);
  const page = join(folder, 'share', 'status', `${name}.html`);
  const isTold = () => existsSync(page) && /Structral.*Nearest: Structural/.test(readFileSync(page, 'utf8'));
  await waitUntil(isTold, 'its page does not say what is held');
  const sheet = join(folder, 'share', 'attention', name, 'to-correct-register.xlsx');
  await waitUntil(() => existsSync(sheet), 'no sheet to correct comes');
  await saveCorrected(sheet, text => (text === 'Structral' ? 'Structural' : text));
  const sheets = ['done', 'attention'].map(place => join(place, name, 'receipt-register.xlsx'));
  await waitUntil(() => sheets.every(path => existsSync(join(folder, 'share', path))), 'no receipt comes');
  expect(existsIn('done', `${name}/HB-0202.pdf`), 'what was answered is not in done/');
  expect(existsIn('attention', `${name}/HB-0302.pdf`), 'the empty file is not in attention/');
  await waitUntil(() => !existsSync(page), 'its page stays');
}

/** As a spreadsheet program saves it: the texts of the first sheet, with what a person has changed. */
async function saveCorrected(path, edit) {
  const { readSheet } = require('../dist/activities/registers/sheet/read-sheet.js');
  const { writeWorkbook } = require('../dist/activities/registers/write/write-workbook.js');
  const { grids } = await readSheet(readFileSync(path), path);
  const rows = grids[0].rows.map(cells => cells.map(({ text }) => ({ text: edit(text), look: 'text' })));
  const sheets = [{ name: 'Sheet1', widths: [20], rows }];
  writeFileSync(`${path}.tmp`, await writeWorkbook({ title: 'saved', madeAt: new Date(), sheets }));
  renameSync(`${path}.tmp`, path);
}

function start(ports) {
  const env = {
    ...withoutTemporal(process.env),
    DRAWBRIDGE_TEMPORAL__EMBEDDED__PORT: String(ports.temporal),
    DRAWBRIDGE_TEMPORAL__EMBEDDED__UI_PORT: String(ports.ui),
  };
  const child = spawn(
    process.execPath,
    [
      join(ROOT, 'dist', 'client', 'main.js'),
      ...['--data-dir', folder, 'run', '--stand-in-port', String(ports.standIn), '--stand-in-speed', SPEED],
    ],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    },
  );
  const run = { child, env, output: '', ended: undefined };
  const remember = chunk => {
    run.output += chunk;
    child.emit('said');
  };
  child.stdout.setEncoding('utf8').on('data', remember);
  child.stderr.setEncoding('utf8').on('data', remember);
  run.ended = new Promise(resolve => child.once('exit', (code, signal) => resolve(code ?? signal)));
  run.ended.then(() => running.delete(run));
  running.add(run);
  started.push(run);
  return run;
}

async function waitFor(run, pattern) {
  let hasEnded = false;
  run.ended.then(() => {
    hasEnded = true;
  });
  await waitUntil(() => {
    if (hasEnded) throw new Error(`it ended before it said ${pattern}`);
    return pattern.test(run.output);
  }, `it never said ${pattern}`);
}

async function waitUntil(isSo, otherwise) {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(otherwise);
    await delay(50);
  }
}

async function claim(text, check) {
  if (failed > 0) return;
  try {
    await check();
    passed += 1;
    console.log(`ok    ${text}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${text}: ${error.message}`);
    for (const run of started) console.log(`--- it said:\n${run.output.slice(-MOST_TOLD_CHARS)}`);
    const log = join(folder, 'state', 'drawbridge.log');
    if (existsSync(log))
      console.log(`--- the end of its log:\n${readFileSync(log, 'utf8').slice(-MOST_TOLD_CHARS)}`);
  }
}

function expect(isSo, otherwise) {
  if (!isSo) throw new Error(otherwise);
}

function put(path, content) {
  mkdirSync(dirname(join(drop, path)), { recursive: true });
  writeFileSync(join(drop, path), content);
}

/** A folder keeps its name; what lay loose is in the folder of its batch. */
function existsIn(place, path) {
  const top = join(folder, 'share', place);
  if (path.includes('/')) return existsSync(join(top, path));
  return existsSync(top) && readdirSync(top).some(batch => existsSync(join(top, batch, path)));
}

/** The folders that people find their files in. */
function places() {
  return ['done', 'attention']
    .map(place => join(folder, 'share', place))
    .filter(existsSync)
    .flatMap(place => readdirSync(place).map(name => join(place, name)));
}

function hasReceipt(place) {
  return existsSync(join(place, 'receipt.csv'));
}

function readReceipts() {
  return places()
    .filter(hasReceipt)
    .map(place => readFileSync(join(place, 'receipt.csv'), 'utf8'))
    .join('\n');
}

/**
 * Processes that still work on our data, or belong to somebody who did. Linux
 * only; elsewhere nothing is claimed.
 */
function leftOver() {
  if (!existsSync('/proc/self/cmdline')) return [];
  return readdirSync('/proc').filter(pid => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
    } catch {
      return false;
    }
  });
}

async function freePorts() {
  const standIn = await freeRow(4);
  const [temporal, ui] = [await freeRow(1), await freeRow(1)];
  return { standIn, temporal, ui };
}

/** Below what systems hand out by themselves: no connection of anybody takes one before it is used. */
async function freeRow(count) {
  for (;;) {
    const base = 15_000 + Math.floor(Math.random() * 15_000);
    const ports = Array.from({ length: count }, (_, index) => base + index);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return base;
  }
}

function isFree(port) {
  return new Promise(resolve => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** A server that is configured on this machine is not to be used for this. */
function withoutTemporal(environment) {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => name === 'TEMPORAL_CLI' || !/^(TEMPORAL_|DRAWBRIDGE_)/.test(name),
    ),
  );
}

function pdf(text) {
  return Buffer.from(`%PDF-1.4\n% ${text} ${randomBytes(8).toString('hex')}\n%%EOF\n`);
}

function sha256(content) {
  return createHash('sha256').update(content).digest('hex');
}

console.log(`End to end on Node ${process.version}`);
try {
  await main();
} catch (error) {
  failed += 1;
  console.log(`FAIL  ${error.stack}`);
} finally {
  for (const run of running) run.child.kill('SIGKILL');
  await waitUntil(() => leftOver().length === 0, 'processes are left behind').catch(() => undefined);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
