/** The stand-in as a process of its own, for tests that kill it: compiled once into a temporary folder. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { transformFileSync } from '@swc/core';

export interface SandboxUrls {
  apiUrl: string;
  authUrl: string;
  storageUrl: string;
  controlUrl: string;
}

const SOURCES = __dirname;
const ROOT = resolve(SOURCES, '..', '..');

/** Translates the sources to JavaScript; the path of the entry. */
export function compileSandbox(): { entry: string; dispose: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'compiled-sandbox-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const name of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
    const target = join(folder, 'sandbox', name.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    const { code } = transformFileSync(join(SOURCES, name), {
      jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
      module: { type: 'commonjs' },
    });
    writeFileSync(target, code);
  }
  return {
    entry: join(folder, 'sandbox', 'main.js'),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Starts it and waits until it is ready; rejects with its standard error when it ends first. */
export function forkSandbox(
  entry: string,
  flags: string[],
): Promise<{ child: ChildProcess; urls: SandboxUrls; output: () => string }> {
  const child = fork(entry, flags, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let output = '';
  child.stdout?.on('data', chunk => (output += String(chunk)));
  child.stderr?.on('data', chunk => (output += String(chunk)));
  return new Promise((fulfil, reject) => {
    child.once('message', message => {
      fulfil({ child, urls: (message as { urls: SandboxUrls }).urls, output: () => output });
    });
    child.once('close', code => reject(new Error(`ended with ${code}: ${output}`)));
  });
}

/** Resolves with exit code and signal. */
export function endOf(child: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return Promise.resolve({ code: child.exitCode, signal: child.signalCode });
  }
  return new Promise(fulfil => child.once('exit', (code, signal) => fulfil({ code, signal })));
}
