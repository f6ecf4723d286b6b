// Boundaries have names that stay the same, and a process that is ordered to end at
// one of them gets exactly so far.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { useTemporaryFolder } from '../setup/temporary-folder';
import { KILLED } from './boundaries-counter';
import { isReadOnly, kindOf, nameRequest, nameTarget, ordinalOf } from './boundaries-names';

const ROOTS = { share: '/case/share', state: '/case/state' };
const BUILT = join(__dirname, '..', '..', 'dist', 'test', 'chaos');

describe('names', () => {
  test.each([
    [
      '/case/share/.drawbridge/batches/20260131-093000-k3f5a2/batch.json',
      '.drawbridge/batches/<batch>/batch.json',
    ],
    ['/case/share/.drawbridge/.tmp-Ab3_-9', '.drawbridge/<tmp>'],
    [
      '/case/share/.drawbridge/corrections/7663fa2eaf2e6846391a Ui_xpw-rQSan/wrong.txt',
      '.drawbridge/corrections/<id> <chance>/wrong.txt',
    ],
    ['/case/share/x/20260131T093000123Z-intent-0a1b2c3d4e5f.json', 'x/<intent>.json'],
    [
      '/case/share/.drawbridge/finished/202601/20260131-093000-k3f5a2',
      '.drawbridge/finished/<month>/<batch>',
    ],
    ['/case/state/rate/0a1b2c3d4e5f6071/12.json', 'state/rate/<id>/<n>.json'],
    ['/case/state/temporals.json.6686', 'state/temporals.json.<n>'],
    ['/case/share', 'share'],
    ['/case/shared/a', undefined],
    ['/tmp/worker.log', undefined],
  ])('%s is %s', (path, name) => {
    expect(nameTarget(path, ROOTS)).toBe(name);
  });

  test('requests are named without ids and without the query', () => {
    expect(nameRequest('PUT', '/vault/01ARZ3NDEKTSV4RRFFQ69G5FAV/1?signature=secret')).toBe(
      'PUT /vault/<id>/<id>',
    );
    expect(
      nameRequest('GET', '/rest/v2.1/companies/5001/projects/7001/uploads/01ARZ3NDEKTSV4RRFFQ69G5FAV'),
    ).toBe('GET /rest/v2.1/companies/<id>/projects/<id>/uploads/<id>');
  });

  test('what only asks is told from what changes', () => {
    expect(isReadOnly('http GET /a before #1')).toBe(true);
    expect(isReadOnly('http POST /rest/document_uploads/selected_uploads sent #4')).toBe(true);
    expect(isReadOnly('http POST /rest/document_uploads sent #1')).toBe(false);
    expect(isReadOnly('rename batch.json before #1')).toBe(false);
  });

  test('an ordinal is apart from its kind', () => {
    expect(ordinalOf('rename batch.json after #12')).toBe(12);
    expect(kindOf('rename batch.json after #12')).toBe('rename batch.json after');
  });
});

describe('a process that is ordered to end', () => {
  const folderOf = useTemporaryFolder();

  /** Writes and renames a file in a process of its own. */
  function run(killAt?: string) {
    const share = join(folderOf(), 'share');
    mkdirSync(share);
    const logFile = join(folderOf(), 'boundaries.log');
    const roots = { share, state: join(folderOf(), 'state') };
    const program = `
      const { createCounter } = require(${JSON.stringify(join(BUILT, 'boundaries-counter.js'))});
      const { watchDisk } = require(${JSON.stringify(join(BUILT, 'boundaries-disk.js'))});
      watchDisk(${JSON.stringify(roots)}, createCounter(${JSON.stringify({ logFile, killAt })}));
      const fs = require('node:fs/promises');
      (async () => {
        const file = await fs.open(${JSON.stringify(join(share, 'one'))}, 'wx');
        await file.writeFile('content');
        await file.close();
        await fs.rename(${JSON.stringify(join(share, 'one'))}, ${JSON.stringify(join(share, 'two'))});
      })();`;
    const { signal } = spawnSync(process.execPath, ['-e', program]);
    const log = readFileSync(logFile, 'utf8').trimEnd().split('\n');
    return { signal, log, has: (name: string) => existsSync(join(share, name)), share };
  }

  test('without an order only counts', () => {
    const { signal, log, has } = run();
    expect(signal).toBeNull();
    expect(has('two')).toBe(true);
    expect(log).toEqual([
      'open one before #1',
      'open one after #1',
      'write one before #1',
      'write one after #1',
      'rename two before #1',
      'rename two after #1',
    ]);
  });

  test('ends before the effect', () => {
    const { signal, log, has, share } = run('rename two before #1');
    expect(signal).toBe('SIGKILL');
    expect(log.at(-1)).toBe(KILLED);
    expect([has('one'), has('two')]).toEqual([true, false]);
    expect(readFileSync(join(share, 'one'), 'utf8')).toBe('content');
  });

  test('ends after the effect, and nothing of what follows is done', () => {
    const { signal, has, share } = run('open one after #1');
    expect(signal).toBe('SIGKILL');
    expect(has('two')).toBe(false);
    expect(readFileSync(join(share, 'one'), 'utf8')).toBe('');
  });
});
