import { describeAnswer, sayAnswer } from '../../../../workflows/ingest/decide/describe-answer';

const AT_MS = Date.parse('2026-02-03T14:05:59Z');

test('the note says who, when and what', () => {
  const values = { Type: 'Drawing', Origin: ['Architect', 'Engineer'] };
  expect(describeAnswer({ document: 7, values, decision: 'retry' }, 'Maria Keller', AT_MS)).toBe(
    'Answered by Maria Keller on 2026-02-03 at 14:05 UTC: Type = Drawing, Origin = Architect; Engineer, try again.',
  );
});

test('what stays empty, and what is not given any more, is said so', () => {
  const answer = { document: 7, values: { Remark: [], Note: '', Type: 'Drawing' } };
  expect(sayAnswer(answer)).toBe('Remark left empty, Note not given, Type = Drawing');
});

test('of ended workflows it says the status they get and why', () => {
  const answer = { document: 7, decision: 'terminate', reason: 'Reissued', status: 'Superseded' } as const;
  expect(describeAnswer(answer, 'm.keller', AT_MS)).toBe(
    'Answered by m.keller on 2026-02-03 at 14:05 UTC: end the workflows that run, status Superseded, reason: Reissued.',
  );
});

test('a long one is cut', () => {
  const note = describeAnswer({ document: 7, values: { Text: 'x'.repeat(1_000) } }, 'A', AT_MS);
  expect(note).toHaveLength(400);
  expect(note.endsWith('x...')).toBe(true);
});
