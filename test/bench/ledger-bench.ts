// What a ledger of a million documents costs: records on a share, an index built from them, look-ups.
// node dist/test/bench/ledger-bench.js [documents] [documents a batch]
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

const PROJECT = { companyId: '1', projectId: '2' };
const DOCUMENTS = Number(process.argv[2] ?? 1_000_000);
const A_BATCH = Number(process.argv[3] ?? 100);
const LOOK_UPS = 20_000;

void main();

async function main(): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'drawbridge-ledger-'));
  const seals = new Seals(Buffer.alloc(32, 7));
  const layout = { root, own: root, batches: root, seals, fs: createNodeShareFs() } as unknown as ShareLayout;
  const say = (text: string) => process.stdout.write(`${text}\n`);
  try {
    const bytes = await writeRecords(root, seals);
    const files = Math.ceil(DOCUMENTS / A_BATCH);
    say(`records        ${files} files, ${mib(bytes)} MiB, for ${DOCUMENTS} documents`);
    const ledger = new ShareLedger('tender', () => layout);
    let laterMs = 0;
    const clock = { monotonicMs: () => performance.now(), wallMs: () => Date.now() + laterMs };
    const index = new LedgerIndex({
      clock,
      folder: join(root, 'index'),
      onBad: (_, file, why) => say(`${file} ${why}`),
    });
    say(`memory before  ${await memory()}`);
    let peak = 0;
    let begun = performance.now();
    await index.follow(ledger, { onProgress: () => (peak = Math.max(peak, process.memoryUsage().rss)) });
    say(`rebuild        ${seconds(begun)} s, peak ${mib(peak)} MiB resident`);
    say(`index          ${mib((await index.describe()).sizeBytes)} MiB`);
    begun = performance.now();
    await index.follow(ledger);
    say(`listed again   ${seconds(begun)} s, nothing new`);
    for (laterMs = 20_000; laterMs < 60_000; laterMs += 20_000) {
      begun = performance.now();
      await index.follow(ledger);
    }
    say(`unchanged      ${seconds(begun)} s`);
    await writeFile(...(await recordFile(root, seals, DOCUMENTS, 1)));
    begun = performance.now();
    await index.follow(ledger);
    say(`one more       ${seconds(begun)} s`);
    say(`memory after   ${await memory()}`);
    await readOnce(join(root, 'index', 'documents.log'), say);
    await lookUp(index, say);
    say(`memory after   ${await memory()}`);
    await index.close();
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function lookUp(index: LedgerIndex, say: (text: string) => void): Promise<void> {
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
  }
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

async function writeRecords(root: string, seals: Seals): Promise<number> {
  let bytes = 0;
  for (let first = 0; first < DOCUMENTS; first += A_BATCH) {
    const [path, text] = await recordFile(root, seals, first, Math.min(A_BATCH, DOCUMENTS - first));
    await writeFile(path, text);
    bytes += text.length;
  }
  return bytes;
}

const made = new Set<string>();

async function recordFile(
  root: string,
  seals: Seals,
  first: number,
  count: number,
): Promise<[string, string]> {
  const at = new Date(Date.UTC(2024, 0, 1) + (first / DOCUMENTS) * 2 * 365 * 86_400_000).toISOString();
  const letters = [...first.toString(32).padStart(6, '0')].map(
    c => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(c, 32)],
  );
  const batchId = `${at.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}-${letters.join('')}`;
  const folder = join(root, 'ledger', batchId.slice(0, 6));
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
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}

function mib(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}

function seconds(begun: number): string {
  return ((performance.now() - begun) / 1_000).toFixed(2);
}
