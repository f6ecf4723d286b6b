// What a ledger of a million documents costs: records on a share, an index built from them, look-ups, and
// `explain`. In a process of its own, so that its memory is its own; how it goes is told on the side.
// node dist/test/bench/ledger-bench.js [documents] [documents a batch]
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LookUp } from '../../activities/ledger/index-keys';
import { LedgerIndex } from '../../activities/ledger/ledger-index';
import { Seals } from '../../activities/share/files/seals';
import { createNodeShareFs } from '../../activities/share/files/share-fs';
import type { ShareLayout } from '../../activities/share/files/share-layout';
import { type LedgerEntry, toRecordText } from '../../activities/share/ledger/ledger-record';
import { ShareLedger } from '../../activities/share/ledger/share-ledger';
import { openShare } from '../../activities/share/open-share';
import { OWN_FOLDER } from '../../activities/share/share-config';
import { HashPool } from '../../activities/transfer/hashing/hash-file';
import { loadConfig } from '../../workers/config/config';
import { SHARE_KEY_FILE } from '../../workers/share-key';
import { atMost, type Figure } from './figures';

const PROJECT = { companyId: '1', projectId: '2' };
const DOCUMENTS = Number(process.argv[2] ?? 1_000_000);
const A_BATCH = Number(process.argv[3] ?? 100);
const LOOK_UPS = 20_000;
const EXPLAINS = 7;

interface LedgerFigures {
  readonly rebuildS: number;
  readonly peakMiB: number;
  readonly slowestP50Ms: number;
  readonly slowestP99Ms: number;
  readonly explainMs: number;
}

export async function benchLedger(): Promise<Figure[]> {
  const child = spawn(process.execPath, [__filename], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text;
  });
  const code = await new Promise<number | null>(resolve => child.once('close', resolve));
  if (code !== 0) throw new Error(`The ledger's process ended with ${code}.`);
  const figures = JSON.parse(output) as LedgerFigures;
  const { rebuildS, peakMiB, slowestP50Ms, slowestP99Ms, explainMs } = figures;
  return [
    atMost('index of 1,000,000 documents, built from the share', rebuildS, 600, ' s', 0),
    // Workers read the ledger; watchers do not.
    atMost('peak memory of the process that builds it', peakMiB, 300, ' MiB', 0),
    atMost('a look-up among them, slowest kind, median', slowestP50Ms, 5, ' ms'),
    atMost('the same, 99th percentile', slowestP99Ms, 5, ' ms'),
    atMost('`explain` among them, the whole command', explainMs, 1_000, ' ms', 0),
  ];
}

if (require.main === module) void main();

async function main(): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'drawbridge-ledger-'));
  const key = Buffer.alloc(32, 7);
  const seals = new Seals(key);
  const own = join(root, 'share', OWN_FOLDER);
  const layout = { root, own, batches: own, seals, fs: createNodeShareFs() } as unknown as ShareLayout;
  const say = (text: string) => process.stderr.write(`${text}\n`);
  try {
    const configFile = await makeShare(root, key);
    const bytes = await writeRecords(own, seals);
    const files = Math.ceil(DOCUMENTS / A_BATCH);
    say(`records        ${files} files, ${mib(bytes)} MiB, for ${DOCUMENTS} documents`);
    const ledger = new ShareLedger('tender', () => layout);
    let laterMs = 0;
    const clock = { monotonicMs: () => performance.now(), wallMs: () => Date.now() + laterMs };
    const folder = join(root, 'state', 'ledger', 'tender');
    const index = new LedgerIndex({
      clock,
      folder,
      otherShares: [],
      onBad: (_, file, why) => say(`${file} ${why}`),
    });
    say(`memory before  ${await memory()}`);
    let peak = 0;
    let begun = performance.now();
    await index.follow(ledger, { onProgress: () => (peak = Math.max(peak, process.memoryUsage().rss)) });
    const rebuildS = (performance.now() - begun) / 1_000;
    say(`rebuild        ${rebuildS.toFixed(2)} s, peak ${mib(peak)} MiB resident`);
    say(`index          ${mib((await index.describe()).sizeBytes)} MiB`);
    begun = performance.now();
    await index.follow(ledger);
    say(`listed again   ${seconds(begun)} s, nothing new`);
    for (laterMs = 20_000; laterMs < 60_000; laterMs += 20_000) {
      begun = performance.now();
      await index.follow(ledger);
    }
    say(`unchanged      ${seconds(begun)} s`);
    await writeFile(...(await recordFile(own, seals, DOCUMENTS, 1)));
    begun = performance.now();
    await index.follow(ledger);
    say(`one more       ${seconds(begun)} s`);
    say(`memory after   ${await memory()}`);
    await readOnce(join(folder, 'documents.log'), say);
    const lookUps = await lookUp(index, say);
    say(`memory after   ${await memory()}`);
    await index.close();
    const explainMs = explain(configFile, say);
    const figures: LedgerFigures = { rebuildS, peakMiB: mib(peak), ...lookUps, explainMs };
    process.stdout.write(`${JSON.stringify(figures)}\n`);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** As a share of the product, for the command. */
async function makeShare(root: string, key: Buffer): Promise<string> {
  const configFile = join(root, 'drawbridge.json');
  const share = { name: 'tender', folder: './share', project: PROJECT };
  await writeFile(configFile, JSON.stringify({ shares: [share], stateDir: './state' }));
  await mkdir(join(root, 'state'));
  await writeFile(join(root, 'state', SHARE_KEY_FILE), key.toString('hex'), { mode: 0o600 });
  const [config] = loadConfig({ path: configFile, environment: {}, secrets: 'leave' }).shares;
  const hasher = new HashPool();
  const logger = { info: () => undefined, warn: () => undefined };
  if (config !== undefined) await openShare(config, { hasher, logger, key });
  await hasher.close();
  return configFile;
}

/** The median, for a busy machine has slow moments: of the whole command. */
function explain(configFile: string, say: (text: string) => void): number {
  const command = join(__dirname, '../../client/main.js');
  const run = (...given: readonly string[]) => {
    const begun = performance.now();
    const { stdout, stderr } = spawnSync(process.execPath, [command, ...given], { encoding: 'utf8' });
    return { stdout, stderr, tookMs: performance.now() - begun };
  };
  const times: number[] = [];
  for (let turn = 0; turn < EXPLAINS; turn += 1) {
    const { sha256, path } = entry(Math.floor(Math.random() * DOCUMENTS));
    const { stdout, stderr, tookMs } = run('--config', configFile, 'explain', sha256, '--json');
    if (!stdout.includes(path)) throw new Error(`explain: ${stderr}`);
    times.push(tookMs);
  }
  say(`explain        ${times.map(Math.round).join(', ')} ms`);
  return median(times);
}

function median(times: number[]): number {
  return at(
    times.sort((one, other) => one - other),
    0.5,
  );
}

async function lookUp(
  index: LedgerIndex,
  say: (text: string) => void,
): Promise<Pick<LedgerFigures, 'slowestP50Ms' | 'slowestP99Ms'>> {
  const all: number[][] = [];
  for (const by of ['sha256', 'name', 'number', 'upload', 'revision'] as const) {
    const times: number[] = [];
    for (let turn = 0; turn < LOOK_UPS / 5; turn += 1) {
      const number = Math.floor(Math.random() * DOCUMENTS);
      const begun = performance.now();
      const found = await index.find(by, textOf(by, entry(number)), { project: PROJECT, shares: ['tender'] });
      times.push(performance.now() - begun);
      if (found.length === 0) throw new Error(`${by} of ${number} was not found`);
    }
    say(`by ${by.padEnd(11)} ${percentiles(times)}`);
    all.push(times);
  }
  const slowest = (share: number) => Math.max(...all.map(times => at(times, share)));
  return { slowestP50Ms: slowest(0.5), slowestP99Ms: slowest(0.99) };
}

/** What one read of a file costs on this machine at this moment: a look-up is three or four in a row. */
async function readOnce(path: string, say: (text: string) => void): Promise<void> {
  const file = await open(path, 'r');
  const { size } = await file.stat();
  const times: number[] = [];
  for (let turn = 0; turn < LOOK_UPS / 5; turn += 1) {
    const begun = performance.now();
    await file.read(Buffer.alloc(4_096), 0, 4_096, Math.floor(Math.random() * size));
    times.push(performance.now() - begun);
  }
  await file.close();
  say(`one read       ${percentiles(times)}`);
}

async function writeRecords(own: string, seals: Seals): Promise<number> {
  let bytes = 0;
  for (let first = 0; first < DOCUMENTS; first += A_BATCH) {
    const [path, text] = await recordFile(own, seals, first, Math.min(A_BATCH, DOCUMENTS - first));
    await writeFile(path, text);
    bytes += text.length;
  }
  return bytes;
}

const made = new Set<string>();

async function recordFile(
  own: string,
  seals: Seals,
  first: number,
  count: number,
): Promise<[string, string]> {
  const at = new Date(Date.UTC(2024, 0, 1) + (first / DOCUMENTS) * 2 * 365 * 86_400_000).toISOString();
  const letters = [...first.toString(32).padStart(6, '0')].map(
    c => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(c, 32)],
  );
  const batchId = `${at.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}-${letters.join('')}`;
  const folder = join(own, 'ledger', batchId.slice(0, 6));
  if (!made.has(folder)) await mkdir(folder, { recursive: true });
  made.add(folder);
  const entries = Array.from({ length: count }, (_, index) => ({ ...entry(first + index), index }));
  const job = { id: batchId, name: `TR-${String(first).padStart(7, '0')}` };
  const text = toRecordText(seals, { batchId, part: 1 }, { share: 'tender', project: PROJECT, job, entries });
  return [join(folder, `${batchId}.1.json`), text];
}

function entry(number: number): LedgerEntry {
  const name = `HBT-ARU-ZZ-${String(number % 99).padStart(2, '0')}-DR-S-${String(number >> 1).padStart(6, '0')}`;
  return {
    index: 0,
    path: `Transmittal/Package ${number % 7}/${name}_P0${(number % 2) + 1}.pdf`,
    sha256: createHash('sha256').update(String(number)).digest('hex'),
    sizeBytes: 1_000_000 + number,
    mimeType: 'application/pdf',
    name: `${name}_P0${(number % 2) + 1}.pdf`,
    number: name,
    revision: `P0${(number % 2) + 1}`,
    said: { number: name, revision: `P0${(number % 2) + 1}` },
    uploadId: `01K0UPLOAD${String(number).padStart(16, '0')}`,
    revisionId: `01K0REVISI${String(number).padStart(16, '0')}`,
    submittedAtMs: 1_700_000_000_000 + number * 1_000,
  };
}

function textOf(by: LookUp, document: LedgerEntry): string {
  const { sha256, name, number, uploadId, revisionId } = document;
  return { sha256, name, number, upload: uploadId, revision: revisionId }[by] ?? '';
}

async function memory(): Promise<string> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  const kib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  return `${mib(kib('VmRSS') * 1024)} MiB resident, ${mib(kib('RssFile') * 1024)} of it mapped files`;
}

function percentiles(times: number[]): string {
  times.sort((one, other) => one - other);
  return `p50 ${at(times, 0.5).toFixed(2)} ms, p99 ${at(times, 0.99).toFixed(2)} ms`;
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}

function mib(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}

function seconds(begun: number): string {
  return ((performance.now() - begun) / 1_000).toFixed(2);
}
