// How fast the upload engine is beside the obvious script, in the same run and against the same storage.

import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { systemClock } from '../../activities/host/clock';
import { ByteSeals } from '../../activities/transfer/hashing/byte-seals';
import { HashPool } from '../../activities/transfer/hashing/hash-file';
import type { FileToSend, UploadSessions } from '../../activities/transfer/ports';
import { planSegments } from '../../activities/transfer/segment-plan';
import { UndiciStorage } from '../../activities/transfer/storage/storage';
import { transferFiles } from '../../activities/transfer/transfer-files';
import { hasRclone, runRclone, runScript, type Timed } from './transfer-rivals';

const MEBIBYTE = 1024 * 1024;
const DELAY_RESOLUTION_MS = 1;

export interface TransferBenchInput {
  /** Default 11 files of 100 MiB. */
  files?: number;
  fileBytes?: number;
  /** Each side is run so often, in turns; the best of each counts. Default 3. */
  rounds?: number;
  /** Whether rclone takes its turn as well. Default false. */
  rclone?: boolean;
  /** Whether the storage hashes what it takes. Default false. */
  sinkHashes?: boolean;
}

export interface TransferBenchFigures {
  files: number;
  fileBytes: number;
  sinkHashes: boolean;
  /** Hashing at claim and sending with the second look at every byte, together. */
  engineSeconds: number;
  engineHashSeconds: number;
  engineSendSeconds: number;
  /** `openssl dgst -sha256` over all files, then `curl -Z -T`. */
  scriptSeconds: number;
  scriptHashSeconds: number;
  scriptSendSeconds: number;
  /** Undefined where it is not installed, or was not asked for. */
  rcloneSeconds: number | undefined;
  /** Above 1: the engine is faster. */
  ratio: number;
  engineMebibytesPerSecond: number;
  engineCpuSecondsPerGibibyte: number;
  eventLoopP99Ms: number;
}

/** Needs `openssl` and `curl`. Files are made in the system's temporary folder and removed. */
export async function benchTransfer(input: TransferBenchInput = {}): Promise<TransferBenchFigures> {
  const { files = 11, fileBytes = 100 * MEBIBYTE, rounds = 3, sinkHashes = false } = input;
  const folder = await mkdtemp(join(tmpdir(), 'transfer-bench-'));
  const sink = await startSink(sinkHashes);
  try {
    const paths: string[] = [];
    for (let index = 0; index < files; index++) {
      paths.push(await writeFile(join(folder, `file-${index}.bin`), fileBytes, index));
    }
    const engine: EngineRound[] = [];
    const script: Timed[] = [];
    const rclone: number[] = [];
    const withRclone = input.rclone === true && (await hasRclone());
    for (let round = 0; round < rounds; round++) {
      script.push(await runScript(paths, sink.url));
      engine.push(await runEngine(paths, fileBytes, sink.url));
      if (withRclone) rclone.push(await runRclone(folder, sink.url));
    }
    const bestEngine = engine.reduce((best, each) => (each.seconds < best.seconds ? each : best));
    const bestScript = script.reduce((best, each) => (each.seconds < best.seconds ? each : best));
    const totalMebibytes = (files * fileBytes) / MEBIBYTE;
    return {
      files,
      fileBytes,
      sinkHashes,
      engineSeconds: bestEngine.seconds,
      engineHashSeconds: bestEngine.hashSeconds,
      engineSendSeconds: bestEngine.seconds - bestEngine.hashSeconds,
      scriptSeconds: bestScript.seconds,
      scriptHashSeconds: bestScript.hashSeconds,
      scriptSendSeconds: bestScript.seconds - bestScript.hashSeconds,
      rcloneSeconds: withRclone ? Math.min(...rclone) : undefined,
      ratio: bestScript.seconds / bestEngine.seconds,
      engineMebibytesPerSecond: totalMebibytes / bestEngine.seconds,
      engineCpuSecondsPerGibibyte: (bestEngine.cpuSeconds / totalMebibytes) * 1024,
      eventLoopP99Ms: Math.max(...engine.map(each => each.p99Ms)),
    };
  } finally {
    sink.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface EngineRound {
  seconds: number;
  hashSeconds: number;
  cpuSeconds: number;
  p99Ms: number;
}

async function runEngine(paths: readonly string[], fileBytes: number, sinkUrl: string): Promise<EngineRound> {
  const hashing = new HashPool();
  const storage = new UndiciStorage({ allowInsecureLoopback: true });
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  delay.enable();
  try {
    const segments = planSegments(fileBytes);
    const files = await Promise.all(
      paths.map(async (path, key) => {
        const sealKey = randomBytes(32);
        const { byteSeals, ...hashed } = await hashing.hashFile(path, { segments, sealKey });
        const file: FileToSend = {
          path,
          fileName: `${key}`,
          contentType: 'application/octet-stream',
          ...hashed,
          ...(byteSeals === undefined ? {} : { byteSeals: new ByteSeals(sealKey, byteSeals) }),
        };
        return { key, file };
      }),
    );
    const hashedMs = performance.now();
    const outcomes = await transferFiles(
      { files, signal: new AbortController().signal, onProgress: () => undefined },
      { sessions: instantSessions(sinkUrl), storage, hashing, clock: systemClock },
    );
    const endedMs = performance.now();
    if (![...outcomes.values()].every(outcome => outcome.kind === 'available'))
      throw new Error('a file was refused');
    const cpu = process.cpuUsage(cpuBefore);
    return {
      seconds: (endedMs - startedMs) / 1000,
      hashSeconds: (hashedMs - startedMs) / 1000,
      cpuSeconds: (cpu.user + cpu.system) / 1e6,
      // The histogram holds the time between two ticks of its timer, not the delay alone.
      p99Ms: delay.percentile(99) / 1e6 - DELAY_RESOLUTION_MS,
    };
  } finally {
    delay.disable();
    await Promise.all([storage.close(), hashing.close()]);
  }
}

/** Sessions that cost nothing, so that only bytes are measured. */
function instantSessions(sinkUrl: string): UploadSessions {
  let opened = 0;
  return {
    async open(file) {
      const sessionId = String(opened++);
      return {
        sessionId,
        segments: file.segments.map((_, part) => ({ url: `${sinkUrl}/${sessionId}/${part}`, headers: {} })),
      };
    },
    report: async () => 'available',
    look: async () => ({ kind: 'gone' }),
  };
}

async function startSink(hashes: boolean): Promise<{ url: string; stop(): void }> {
  const child = fork(join(__dirname, 'transfer-sink.js'), hashes ? ['hash'] : []);
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', message => resolve((message as { port: number }).port));
    child.once('error', reject);
    child.once('exit', () => reject(new Error('the sink ended')));
  });
  return { url: `http://127.0.0.1:${port}`, stop: () => child.disconnect() };
}

async function writeFile(path: string, sizeBytes: number, seed: number): Promise<string> {
  const file = await open(path, 'w');
  try {
    const block = Buffer.alloc(Math.min(MEBIBYTE, sizeBytes));
    for (let written = 0; written < sizeBytes; written += block.length) {
      block.writeUInt32LE(seed, 0);
      block.writeUInt32LE(written / block.length, 4);
      await file.write(block, 0, Math.min(block.length, sizeBytes - written));
    }
    return path;
  } finally {
    await file.close();
  }
}
