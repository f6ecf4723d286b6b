// Foreign text in what people read, and in what they copy into a shell.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toDurationText, toShellWord, toSizeText } from '../../../client/session/terminal-text';

// Where the quoting is wrong these are really run: they harm nothing, and a folder of its own shows it.
test.each([
  'DUPLICATE_REVISION',
  '$(touch owned)',
  '`id`',
  "it's",
  "'; touch owned; '",
  'a "quoted" word',
  'a\\',
  '--reason',
  '!!',
  '*',
  '',
])('a shell reads %j as one word that runs nothing', text => {
  const folder = mkdtempSync(join(tmpdir(), 'shell-word-'));
  try {
    const printed = execFileSync('/bin/sh', ['-c', `printf '<%s>' ${toShellWord(text)}`], {
      encoding: 'utf8',
      cwd: folder,
      env: { ...process.env, HOME: folder },
    });
    expect(printed).toBe(`<${text}>`);
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('has nothing in it that a terminal takes for a command', () => {
  const word = toShellWord('a\u001b]0;owned\u0007\r\nb\u202e');
  expect(word).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(word).toMatch(/^'.*'$/);
});

test.each([
  [0, '0 B'],
  [1_023, '1023 B'],
  [1_024, '1.0 KiB'],
  [1_536, '1.5 KiB'],
  [150 * 1_024, '150 KiB'],
  [5 * 1_024 ** 2, '5.0 MiB'],
  [2 * 1_024 ** 4, '2.0 TiB'],
])('%d bytes are shown as %s', (bytes, text) => {
  expect(toSizeText(bytes)).toBe(text);
});

test.each([
  [119_000, '119 s'],
  [120_000, '2 min'],
  [7_200_000, '2 h'],
  [172_800_000, '2 days'],
])('%d ms are shown as %s', (ms, text) => {
  expect(toDurationText(ms)).toBe(text);
});
