// Foreign text in what people read, and in what they copy into a shell.
import { execFileSync } from 'node:child_process';

import { toShellWord } from '../../client/terminal-text';

it.each([
  'DUPLICATE_REVISION',
  '$(touch /tmp/owned)',
  '`id`',
  "it's",
  "'; rm -rf ~; '",
  'a "quoted" word',
  'a\\',
  '--reason',
  '!!',
  '*',
  '',
])('a shell reads %j as one word that runs nothing', text => {
  const printed = execFileSync('/bin/sh', ['-c', `printf '<%s>' ${toShellWord(text)}`], { encoding: 'utf8' });
  expect(printed).toBe(`<${text}>`);
});

it('has nothing in it that a terminal takes for a command', () => {
  const word = toShellWord('a\u001b]0;owned\u0007\r\nb\u202e');
  expect(word).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(word).toMatch(/^'.*'$/);
});
