// Builds the workflow bundle ahead of time: bundling takes over a second, and a worker should start at once.
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundleWorkflowCode, type Logger } from '@temporalio/worker';

/** Where `npm run build` puts the bundle, beside the compiled workers. */
export const BUILT_BUNDLE_PATH = join(__dirname, '..', 'workflow-bundle.js');

/**
 * Bundles `workflows/index` as it stands beside this file (compiled, or TypeScript
 * in tests) into `target`, whole.
 */
async function buildBundle(target: string, logger?: Logger): Promise<void> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: require.resolve('../workflows'),
    preloadModules: [require.resolve('../workflows/preload')],
    // The map has lines of our sources, no columns and not the sources: stack traces stay readable, and a
    // worker holds 15 MB less. `cheap` alone would have lines of the compiled files.
    webpackConfigHook: config => ({ ...config, devtool: 'inline-nosources-cheap-module-source-map' }),
    ...(logger === undefined ? {} : { logger }),
  });
  await mkdir(dirname(target), { recursive: true });
  // Written beside it and renamed, for a worker may just be reading the old bundle.
  const temporary = `${target}.${process.pid}.tmp`;
  await writeFile(temporary, code);
  await rename(temporary, target);
}

if (require.main === module) {
  buildBundle(process.argv[2] ?? BUILT_BUNDLE_PATH).catch((error: unknown) => {
    process.stderr.write(`The workflow bundle cannot be built: ${String(error)}\n`);
    process.exitCode = 1;
  });
}
