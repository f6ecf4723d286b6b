// What somebody could take in place of the upload engine: a script of `openssl` and `curl`, and rclone.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Timed {
  seconds: number;
  hashSeconds: number;
}

/** `openssl dgst -sha256` over all files, then `curl -Z -T`. */
export async function runScript(paths: readonly string[], sinkUrl: string): Promise<Timed> {
  const startedMs = performance.now();
  await run('openssl', ['dgst', '-sha256', ...paths], { maxBuffer: 64 * 1024 ** 2 });
  const hashedMs = performance.now();
  const uploads = paths.flatMap((path, index) => ['-T', path, `${sinkUrl}/script/${index}`, '-H', 'Expect:']);
  await run('curl', ['-sS', '-f', '-Z', '--parallel-max', '8', ...uploads]);
  const endedMs = performance.now();
  return { seconds: (endedMs - startedMs) / 1000, hashSeconds: (hashedMs - startedMs) / 1000 };
}

export async function hasRclone(): Promise<boolean> {
  return await run('rclone', ['version']).then(
    () => true,
    () => false,
  );
}

/**
 * Copies a folder to S3, with the hashes that rclone makes of itself. A look at each file that is not there
 * and a PUT: nothing is listed, nothing asked for afterwards.
 */
export async function runRclone(folder: string, sinkUrl: string): Promise<number> {
  const startedMs = performance.now();
  const args = [
    ...['copy', folder, ':s3:bench/files', '--config', '/dev/null', '--transfers', '8', '--retries', '1'],
    ...['--s3-provider', 'Other', '--s3-endpoint', sinkUrl, '--s3-no-check-bucket', '--s3-no-head'],
    ...['--s3-access-key-id', 'nobody', '--s3-secret-access-key', 'nothing', '--no-traverse'],
  ];
  // What is set for other storages in this environment is not for this one.
  await run('rclone', args, { env: { PATH: process.env.PATH, HOME: folder } });
  return (performance.now() - startedMs) / 1000;
}
