// A Node 24 for the end-to-end run: the one that runs this, or one from the npm
// registry, kept outside the repository.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

const VERSION = '24.21.0';

/** Path of a Node 24. Throws when there is none and none can be fetched. */
export function findNode24() {
  if (process.versions.node.startsWith('24.')) return process.execPath;
  const base = process.env.XDG_CACHE_HOME ?? '';
  const cache = join(isAbsolute(base) ? base : join(homedir(), '.cache'), 'drawbridge');
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  const target = join(cache, `node-${VERSION}`);
  const path = join(target, 'node_modules', name, 'bin', program);
  if (!existsSync(path)) fetchInto(cache, target, `${name}@${VERSION}`);
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  if (stdout?.trim() !== `v${VERSION}`) throw new Error(`${path} is not Node ${VERSION}`);
  return path;
}

function fetchInto(cache, target, wanted) {
  mkdirSync(cache, { recursive: true });
  const staging = mkdtempSync(join(cache, '.node-'));
  try {
    const args = [
      'install',
      '--prefix',
      staging,
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      wanted,
    ];
    const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8', cwd: staging });
    if (status !== 0) throw new Error(`npm cannot fetch ${wanted}: ${stderr}`);
    mkdirSync(dirname(target), { recursive: true });
    rmSync(target, { recursive: true, force: true });
    renameSync(staging, target);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
