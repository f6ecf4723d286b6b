// The workflow bundle for the tests, built from the sources and kept until one of them changes.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const DAY_MS = 86_400_000;
const ROOT = join(__dirname, '..', '..');
const KEPT_IN = join(ROOT, 'node_modules', '.cache', 'drawbridge');

/**
 * Path of a bundle that fits the sources of workflows/ and the installed packages.
 * @param interceptors a module of interceptors that goes into the bundle.
 */
export async function prepareBundle(interceptors?: string): Promise<string> {
  const target = join(KEPT_IN, `workflows-${fingerprint(interceptors)}.js`);
  if (existsSync(target)) return target;
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(ROOT, 'workflows', 'index.ts'),
    preloadModules: [join(ROOT, 'workflows', 'preload.ts')],
    workflowInterceptorModules: interceptors === undefined ? [] : [interceptors],
    logger: {
      ...console,
      log: () => undefined,
      trace: () => undefined,
      debug: () => undefined,
      info: () => undefined,
    },
  });
  mkdirSync(KEPT_IN, { recursive: true });
  const temporary = `${target}.${process.pid}`;
  writeFileSync(temporary, code);
  renameSync(temporary, target);
  removeOld();
  return target;
}

/** Runs beside this one may be using theirs: only what is a day old goes. */
function removeOld(): void {
  for (const name of readdirSync(KEPT_IN)) {
    const path = join(KEPT_IN, name);
    if (Date.now() - statSync(path).mtimeMs > DAY_MS) rmSync(path, { force: true });
  }
}

function fingerprint(interceptors: string | undefined): string {
  const hash = createHash('sha256');
  if (interceptors !== undefined) hash.update(readFileSync(interceptors)).update('\0');
  const folder = join(ROOT, 'workflows');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.ts'),
  );
  for (const name of [...names.sort(), '../package-lock.json']) {
    hash
      .update(name)
      .update('\0')
      .update(readFileSync(join(folder, name)))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}
