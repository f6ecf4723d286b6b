import { inspect } from 'node:util';
import { maskForeignText, Secret } from '../../../activities/service/secret';

test('a secret shows in no way of printing', () => {
  const secret = new Secret('canary');
  const shown = [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret }),
    inspect({ secret }, { depth: 9, showHidden: true }),
    `${Object.entries(secret)}`,
  ];
  expect(shown.join(' ')).not.toContain('canary');
  expect(secret.reveal()).toBe('canary');
});

test.each([
  ['see https://storage.example/a/b?X-Sig=canary&y=2 now', 'see https://storage.example/a/b?*** now'],
  ['see httxs://storage.example/a?X-Sig=canary&y=2 now', 'see httxs://storage.example/a?*** now'],
  ['see https:-/storage.example/a?X-Signature=canary', 'see https:-/storage.example/a?***'],
  ['see storage.example/a!X-Amz-Signature=canary&y=2', 'see storage.example/a!X-Amz-Signature=***&y=2'],
  ['Is it 1? Yes = no', 'Is it 1? Yes = no'],
  ['Authorization: Bearer canary.canary-1', 'Authorization: Bearer ***'],
  ['{"access_token":"canary","x":1}', '{"access_token":"***","x":1}'],
  ['client_secret=canary&a=b', 'client_secret=***&a=b'],
  ['line\nbreak\u0000\u202e', 'line break'],
])('%j becomes %j', (text, expected) => {
  expect(maskForeignText(text)).toBe(expected);
});

test('a known secret is masked before the text is cut', () => {
  const secret = 's'.repeat(40);
  expect(maskForeignText(`${'x'.repeat(290)}${secret}`, [secret])).toBe(`${'x'.repeat(290)}***`);
});

test('a secret that lies across the end of what is searched does not show its beginning', () => {
  const secret = 'canary-4711-4711-4711';
  const url = `https://storage.example/a?${'p'.repeat(5_960)}`;
  expect(maskForeignText(`${url} ${secret}${'x'.repeat(100)}`, [secret])).toBe(
    'https://storage.example/a?***',
  );
});
