import { judgePlan } from '../../../../workflows/ingest/decide/judge-plan';

const reason = (code: string) => ({ code, text: `${code}.`, fix: 'Do it.' });

test('what can never be written ends a document, with everything that is wrong in one reason', () => {
  const problems = [reason('a'), reason('b')];
  expect(judgePlan({ problems, lacking: { reason: reason('c'), missing: [] }, hopeless: ['Type'] })).toEqual({
    kind: 'impossible',
    reason: { code: 'a', text: 'a. b.', fix: 'Do it.' },
  });
});

test('what lacks a word of a person waits, and says all that is missing', () => {
  const lacking = { reason: reason('register-row'), missing: ['Type'] };
  expect(judgePlan({ problems: [], lacking, hopeless: ['Status'] })).toMatchObject({
    kind: 'lacks',
    isUnread: true,
    missing: ['Type', 'Status'],
    reason: { code: 'register-row', text: expect.stringContaining('"Status"') },
  });
  expect(judgePlan({ problems: [], hopeless: ['Status'] })).toMatchObject({
    kind: 'lacks',
    isUnread: false,
    missing: ['Status'],
  });
});

test('what has everything goes', () => {
  expect(judgePlan({ problems: [], hopeless: [] })).toEqual({ kind: 'goes' });
});
