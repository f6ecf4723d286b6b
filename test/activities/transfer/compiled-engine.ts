// The engine as plain JavaScript in a process of its own: for what cannot be
// seen from inside the test runner.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { transform } from '@swc/core';

const ROOT = resolve(__dirname, '../../..');
const FOLDERS = ['activities/host', 'activities/transfer', 'test/bench'];

/**
 * Runs a script beside the compiled engine and answers what it printed; rejects when it does
 * not end by itself with 0 in 60 s.
 */
export async function runCompiled(script: string, args: readonly string[] = []): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'engine-'));
  try {
    await compileTo(folder);
    await writeFile(join(folder, 'script.js'), script);
    const { stdout } = await promisify(execFile)(process.execPath, ['script.js', ...args], {
      cwd: folder,
      timeout: 60_000,
    });
    return stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compileTo(folder: string): Promise<void> {
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const name of FOLDERS) {
    const sources = (await readdir(join(ROOT, name), { recursive: true })).filter(file =>
      file.endsWith('.ts'),
    );
    await Promise.all(
      sources.map(async source => {
        const { code } = await transform(await readFile(join(ROOT, name, source), 'utf8'), {
          jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
          module: { type: 'commonjs' },
        });
        const compiled = join(folder, name, source.replace(/\.ts$/, '.js'));
        await mkdir(dirname(compiled), { recursive: true });
        await writeFile(compiled, code);
      }),
    );
  }
}
