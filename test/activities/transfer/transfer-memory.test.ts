import { createHash } from 'node:crypto';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { planSegments } from '../../../activities/transfer/segment-plan';
import { runCompiled } from './compiled-engine';
import { SampleFolder } from './sample-files';

const MEBIBYTE = 1024 * 1024;
// Not the file: a large one uses eight connections with 2 MiB each, a second hashing thread, and the
// compiler once; about 70 MiB together.
const ALLOWED_GROWTH_BYTES = 96 * MEBIBYTE;

let folder: SampleFolder;

beforeEach(async () => {
  folder = await SampleFolder.create();
});

afterEach(async () => {
  await folder.remove();
});

/**
 * Sends a sparse file in a process of its own, to a sink in another, and answers the
 * most memory the sender ever had.
 */
async function peakBytes(sizeBytes: number): Promise<number> {
  const path = join(folder.path, `${sizeBytes}.bin`);
  await writeFile(path, '');
  await truncate(path, sizeBytes);
  const segments = planSegments(sizeBytes).map(segment => ({
    ...segment,
    sha256: hashOfZeros(segment.sizeBytes),
  }));
  const file = { path, fileName: 'zeros', contentType: 'a/b', sizeBytes, sha256: 'not looked at', segments };
  return Number(await runCompiled(SCRIPT, [JSON.stringify(file)]));
}

const SCRIPT = `
  const { readFileSync } = require('node:fs');
  const { fork } = require('node:child_process');
  const { HashPool } = require('./activities/transfer/hashing/hash-file');
  const { UndiciStorage } = require('./activities/transfer/storage/storage');
  const { systemClock: clock } = require('./activities/host/clock');
  const { transferFiles } = require('./activities/transfer/transfer-files');
  const file = JSON.parse(process.argv[2]);
  const sink = fork('./test/bench/transfer-sink.js');
  sink.once('message', async ({ port }) => {
    const hashing = new HashPool({ threads: 2 });
    const storage = new UndiciStorage({ allowInsecureLoopback: true });
    const sessions = {
      open: async () => ({ sessionId: 's', segments: file.segments.map(() => ({ url: 'http://127.0.0.1:' + port, headers: {} })) }),
      report: async () => 'available',
      look: async () => ({ kind: 'gone' }),
    };
    await hashing.hashFile(file.path, { segments: file.segments });
    const outcomes = await transferFiles(
      { files: [{ key: 0, file }], signal: new AbortController().signal, onProgress() {} },
      { sessions, storage, hashing, clock },
    );
    if (outcomes.get(0).putBytes !== file.sizeBytes) throw new Error('not all was sent');
    await Promise.all([storage.close(), hashing.close()]);
    sink.disconnect();
    // Not getrusage: its figure is inherited from whoever started this process.
    const [, peakKibibytes] = /VmHWM:\\s+(\\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
    });
`;

test('memory does not grow with the file', async () => {
  const small = await peakBytes(10 * MEBIBYTE);
  const large = await peakBytes(1024 * MEBIBYTE);
  expect(large - small).toBeLessThan(ALLOWED_GROWTH_BYTES);
  expect(large).toBeLessThan(256 * MEBIBYTE);
});

const hashes = new Map<number, string>();

function hashOfZeros(sizeBytes: number): string {
  const known = hashes.get(sizeBytes) ?? createHash('sha256').update(Buffer.alloc(sizeBytes)).digest('hex');
  hashes.set(sizeBytes, known);
  return known;
}
