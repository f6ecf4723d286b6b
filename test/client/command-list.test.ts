// Each command loads what it needs and no more: what a process reads before it begins is counted, not timed.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { COMMANDS } from '../../client/command-list';
import { main } from '../../client/main';
import { usePrinted } from '../setup/printed';

const MAIN = join(__dirname, '..', '..', 'dist', 'client', 'main.js');
const printed = usePrinted();

/** The files that the built product has loaded by the end of a command. */
function loadedBy(...args: string[]): readonly string[] {
  const script = `require(${JSON.stringify(MAIN)}).main(${JSON.stringify(args)}, 'drawbridge')
    .then(() => process.stdout.write('\\n' + JSON.stringify(Object.keys(require.cache))))`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  const files = JSON.parse(stdout.slice(stdout.lastIndexOf('\n') + 1)) as string[];
  if (!files.includes(MAIN)) throw new Error(stderr);
  return files;
}

function packagesIn(files: readonly string[]): ReadonlySet<string> {
  return new Set(files.flatMap(file => /node_modules.((?:@[^/\\]+.)?[^/\\]+)/.exec(file)?.[1] ?? []));
}

test('help is said without loading a command', () => {
  const files = loadedBy('--help');
  expect([...packagesIn(files)]).toEqual(['commander']);
  expect(files.length).toBeLessThan(25);
});

// Measured: 376 files, and 669; all of it together is more than 1,700.
test.each([
  [
    'explain',
    440,
    [
      '@temporalio/common',
      '@temporalio/workflow',
      'nexus-rpc',
      '@grpc/grpc-js',
      'pino',
      'undici',
      'fastify',
      'hucre',
    ],
  ],
  ['status', 760, ['@temporalio/worker', 'rxjs', 'undici', 'fastify', 'hucre']],
])('%s loads at most %i files, and nothing of %j', (command, most, unneeded) => {
  const files = loadedBy('--config', '/no/such/file.json', command, 'A-101');
  const packages = packagesIn(files);
  expect(packages).toContain('zod');
  expect(unneeded.filter(name => packages.has(name))).toEqual([]);
  expect(files.length).toBeLessThanOrEqual(most);
});

test.each(COMMANDS.map(({ name }) => name))(
  '%s is loaded when it is called, and says what it takes',
  async name => {
    expect(await main([name, '--help'], 'drawbridge')).toBe(0);
    expect(printed.text).toContain(`Usage: drawbridge ${name} `);
    expect(printed.text).toContain('-h, --help');
    printed.clear();
    expect(await main(['--help'], 'drawbridge')).toBe(0);
    expect(printed.text).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
  },
);
