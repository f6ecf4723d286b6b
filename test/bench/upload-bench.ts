// What the page's uploads cost, beside a plain server that writes what is PUT to a file: the same bytes, sent
// by the same `curl`, in turns. And the memory of the page's server while a large file comes.
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { UploadDetail } from '../../client/console/contract/drop';
import type { Me } from '../../client/console/contract/session';
import { atLeast, atMost, type Figure } from './figures';
import { watchPeakBytes } from './resident-bytes';

const MEBIBYTE = 1_024 ** 2;
const ROUNDS = 5;
const SIZES = {
  small: 10 * MEBIBYTE,
  middle: 512 * MEBIBYTE,
  /** `DRAWBRIDGE_BENCH_UPLOAD_GIB=10` for a file of that size: its room is needed in the temporary folder. */
  large: Number(process.env.DRAWBRIDGE_BENCH_UPLOAD_GIB ?? 2) * 1_024 * MEBIBYTE,
} as const;

const run = promisify(execFile);

interface Served {
  readonly child: ChildProcess;
  readonly origin: string;
}

export async function benchUploads(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'upload-bench-'));
  const [page, plain] = [await startServer('page', folder), await startServer('plain', folder)];
  const toPage = async (sizeBytes: number) =>
    await watchPeakBytes(
      () => page.child.pid ?? 0,
      () => sendToPage(page, folder, sizeBytes),
    );
  try {
    const { peakBytes: atFirst } = await toPage(SIZES.small);
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const plainMs = await sendToPlain(plain, folder, SIZES.middle);
      ratios.push(plainMs / (await toPage(SIZES.middle)).result);
    }
    const { peakBytes, result: ms } = await toPage(SIZES.large);
    const gibibytes = SIZES.large / 1_024 / MEBIBYTE;
    return [
      atLeast('512 MiB to the page, speed over `curl -T` to a plain server', middleOf(ratios), 0.8),
      atLeast('MiB a second (for information)', SIZES.large / MEBIBYTE / (ms / 1_000), 0, ' MiB/s', 0),
      atMost('peak memory of the page, a file of 10 MiB', atFirst / MEBIBYTE, 300, ' MiB', 0),
      atMost(`the same, a file of ${gibibytes} GiB`, peakBytes / MEBIBYTE, 300, ' MiB', 0),
    ];
  } finally {
    for (const { child } of [page, plain]) child.disconnect();
    await rm(folder, { recursive: true, force: true });
  }
}

async function startServer(kind: 'page' | 'plain', folder: string): Promise<Served> {
  const child = fork(join(__dirname, 'upload-server.js'), [kind, folder]);
  const origin = await new Promise<string>((resolve, reject) => {
    child.once('message', message => resolve((message as { readonly origin: string }).origin));
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`the ${kind} server ended`)));
  });
  return { child, origin };
}

/** Begun, sent and put into the drop folder. @returns how long its bytes took, in ms. */
async function sendToPage({ origin }: Served, folder: string, sizeBytes: number): Promise<number> {
  const { csrf } = (await (await fetch(`${origin}/api/me`)).json()) as Me;
  const headers = { origin, 'x-drawbridge-csrf': csrf };
  const ask = async (path: string, method: string, body?: unknown) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${origin}/api/uploads/tender${path}`, {
      method,
      headers: { ...headers, ...json },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as UploadDetail;
  };
  const plan = { name: 'job', files: [{ path: 'one.bin', sizeBytes, modifiedMs: 1 }] };
  const { upload } = await ask('', 'POST', plan);
  const tus = {
    ...headers,
    'tus-resumable': '1.0.0',
    'upload-offset': '0',
    'content-type': 'application/offset+octet-stream',
  };
  const ms = await curl(folder, sizeBytes, `${origin}/api/uploads/tender/${upload}/bytes/0`, 'PATCH', tus);
  const { sent } = await ask(`/${upload}/send`, 'POST');
  if (sent === null) throw new Error('It was not sent.');
  return ms;
}

async function sendToPlain({ origin }: Served, folder: string, sizeBytes: number): Promise<number> {
  return await curl(folder, sizeBytes, `${origin}/plain`, 'PUT', {});
}

async function curl(
  folder: string,
  sizeBytes: number,
  address: string,
  method: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const file = join(folder, 'source.bin');
  await writeFile(file, '');
  // Reading it takes no disk, so that only what the servers do is measured.
  await truncate(file, sizeBytes);
  const lines = Object.entries({ ...headers, expect: '' }).flatMap(([name, value]) => [
    '-H',
    `${name}:${value}`,
  ]);
  const startedMs = performance.now();
  await run('curl', ['-sS', '-f', '-o', '/dev/null', '-X', method, '-T', file, ...lines, address]);
  return performance.now() - startedMs;
}

function middleOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
