import { explainInDoubt, explainSetApart } from '../../../../workflows/ingest/decide/explain-set-apart';

test('a reason of ours says what is so and what to do', () => {
  expect(explainSetApart('hold-expired')).toEqual({
    code: 'hold-expired',
    text: 'The document waited for an answer for as long as the share allows.',
    fix: 'Decide what should happen to it and drop the file again.',
  });
});

test('of what may have been submitted nobody is told to drop it again, whatever it was set apart for', () => {
  const reason = explainInDoubt(explainSetApart('link-failed'));
  expect(reason.code).toBe('perhaps-submitted');
  expect(reason.text).toContain(explainSetApart('link-failed').text);
  expect(reason.fix).not.toMatch(/drop/i);
});

test('a reason of ours with a slip of the pen does not compile', () => {
  // @ts-expect-error: a letter is missing.
  expect(explainSetApart('hold-expred').text).toBeUndefined();
});
