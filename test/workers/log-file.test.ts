// The log stays small, survives being moved away, and costs nobody a claim when its disk is full.
import { existsSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { LogFile, reopenLogs } from '../../workers/log-file';
import { createLogger } from '../../workers/logging';
import { useTemporaryFolder } from '../setup/temporary-folder';

const folder = useTemporaryFolder();
const LINE = `${'x'.repeat(99)}\n`;

test('keeps five files of its limit, the newest lines in the first', () => {
  const path = join(folder(), 'a.log');
  const file = new LogFile(path, 1_000);
  for (let number = 0; number < 300; number++)
    file.write(LINE.replace('xxx', String(number).padStart(3, '0')));
  file.close();
  const names = readdirSync(folder()).sort();
  expect(names).toEqual(['a.log', 'a.log.1', 'a.log.2', 'a.log.3', 'a.log.4']);
  for (const name of names) expect(statSync(join(folder(), name)).size).toBeLessThanOrEqual(2_000);
  expect(readFileSync(path, 'utf8').trimEnd().split('\n').at(-1)).toMatch(/^299/);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('loses no line at the change', () => {
  const path = join(folder(), 'b.log');
  const file = new LogFile(path, 1_000);
  for (let number = 0; number < 25; number++)
    file.write(LINE.replace('xxx', String(number).padStart(3, '0')));
  file.close();
  const all = ['.2', '.1', '']
    .map(end => (existsSync(path + end) ? readFileSync(path + end, 'utf8') : ''))
    .join('');
  expect(
    all
      .trimEnd()
      .split('\n')
      .map(line => Number(line.slice(0, 3))),
  ).toEqual([...Array(25).keys()]);
});

test('goes on in a new file when somebody has moved it and says so', () => {
  const path = join(folder(), 'c.log');
  const file = new LogFile(path, 1e9);
  file.write('one\n');
  renameSync(path, `${path}.moved`);
  file.write('two\n');
  reopenLogs();
  file.write('three\n');
  file.close();
  expect([readFileSync(`${path}.moved`, 'utf8'), readFileSync(path, 'utf8')]).toEqual([
    'one\ntwo\n',
    'three\n',
  ]);
});

test('a full disk is told once, and throws at nobody', () => {
  const path = join(folder(), 'full.log');
  symlinkSync('/dev/full', path);
  const told: string[] = [];
  const file = new LogFile(path, 1e9, text => told.push(text));
  file.write('one\n');
  file.write('two\n');
  file.close();
  expect(told).toEqual([expect.stringContaining('ENOSPC')]);
});

test('the logger has a limit', () => {
  const path = join(folder(), 'd.log');
  const logger = createLogger({ level: 'info', file: path, maxBytes: 2_000 });
  for (let number = 0; number < 100; number++) logger.info({ number }, 'said');
  expect(existsSync(`${path}.1`)).toBe(true);
});
