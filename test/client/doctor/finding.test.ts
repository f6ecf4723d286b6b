// What the checks come to together: one line each, the worst decides.
import { ask, describeFindings, exitCodeOf, judgesOf, worstOf } from '../../../client/doctor/finding';

const { ok, look, wrong, notAsked } = judgesOf('share tender');
const plain = (_: string, text: string) => text;

test.each([
  ['all is well', [ok('a'), ok('b')], 'ok', 0],
  ['what was not asked is never well', [ok('a'), notAsked('b')], 'not-asked', 4],
  ['something to look at', [notAsked('a'), look('b'), ok('c')], 'look', 4],
  ['one thing wrong', [look('a'), wrong('b'), notAsked('c')], 'wrong', 1],
])('%s', (_, findings, worst, code) => {
  expect([worstOf(findings), exitCodeOf(findings)]).toEqual([worst, code]);
});

test('one line a check, whatever others have called things, and one that adds up', () => {
  const evil = '\u001b]52;c;eA==\u0007\n\u202e';
  const text = describeFindings([wrong(`there is a ${evil}`, 'Remove it.'), ok('Is it well?')], plain);
  expect(text.split('\n')).toEqual([
    'wrong       share tender: there is a \ufffd]52;c;eA==\ufffd \ufffd. Remove it.',
    'ok          share tender: Is it well?',
    '',
    '1 wrong, 1 ok.',
  ]);
});

test('a question that fails, or is never answered, is a reason', async () => {
  expect(await ask(async () => 1, 1_000)).toEqual({ value: 1 });
  expect(await ask(async () => Promise.reject(new Error('no')), 1_000)).toEqual({ why: 'no' });
  expect(await ask(async () => await new Promise(() => undefined), 1)).toEqual({
    why: 'no answer within 0.001 s',
  });
});
