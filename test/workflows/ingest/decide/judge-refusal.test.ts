import fc from 'fast-check';
import {
  explainRefusal,
  judgeRefusal,
  mayHaveTakenEffect,
} from '../../../../workflows/ingest/decide/judge-refusal';

/** Every reason code of Step 8 (specification, Errors), and what the tables say to do. */
const TABLE = [
  ['INVALID_PROPERTY', 'set-apart'],
  ['UPLOAD_NOT_FOUND', 'look'],
  ['FILE_KEY_MISMATCH', 'send-file-again'],
  ['INVALID_INPUT', 'read-again'],
  ['DUPLICATE_REVISION', 'set-apart'],
  // For one document among others: the right is there, and it is about that document.
  ['PERMISSION_DENIED', 'set-apart'],
  ['ACCESS_DENIED', 'set-apart'],
  ['WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION', 'conflict-for-a-person'],
  ['WORKFLOW_CONFLICT', 'conflict'],
  ['CONCURRENCY_CONFLICT', 'read-again'],
  ['UNKNOWN_FAILURE', 'read-again'],
] as const;
/** Those that only the service can explain. */
const IN_ITS_WORDS = new Set<string>(['PERMISSION_DENIED', 'ACCESS_DENIED']);

describe('judgeRefusal', () => {
  test.each(TABLE)('%s means %s', (code, verdict) => {
    expect(judgeRefusal(code)).toBe(verdict);
  });

  test('a code of tomorrow sets the document apart, and so does every other text', () => {
    const known = new Set<string>(TABLE.map(([code]) => code));
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('constructor', '__proto__', 'toString', 'hasOwnProperty', 'duplicate_revision', ''),
    );
    fc.assert(
      fc.property(text, code => {
        fc.pre(!known.has(code));
        expect(judgeRefusal(code)).toBe('set-apart');
      }),
    );
  });
});

describe('explainRefusal', () => {
  test.each(TABLE.filter(([code]) => !IN_ITS_WORDS.has(code)))('says %s in words of our own', code => {
    const reason = explainRefusal({ reasonCode: code, message: 'Wire words' });
    expect(reason.code).toBe(code);
    expect(reason.text).not.toContain('Wire words');
    expect(reason.text).not.toContain(code);
    expect(reason.fix).not.toBe('');
  });

  test.each(['constructor', '__proto__', 'NEW_CODE'])(
    'repeats the service’s words for the unknown code %s',
    code => {
      const reason = explainRefusal({ reasonCode: code, message: 'The sheet is upside down' });
      expect(reason).toEqual({
        code,
        text: expect.stringContaining('The sheet is upside down'),
        fix: expect.any(String),
      });
      expect(explainRefusal({ reasonCode: code, message: '' }).text).toContain(code);
    },
  );

  test.each([
    [
      'in words of our own',
      { reasonCode: 'INVALID_PROPERTY', message: 'Wire words' },
      'The service refused one of the values of this document. The service names the field "Due date".',
    ],
    [
      'before the service’s words',
      { reasonCode: 'NEW_CODE', message: 'is in the past' },
      'The service refused the document: Due date: is in the past',
    ],
    [
      'unless these name it',
      { reasonCode: 'NEW_CODE', message: 'due_date is in the past' },
      'The service refused the document: due_date is in the past',
    ],
  ])('names the field, %s', (_, refusal, text) => {
    expect(explainRefusal({ ...refusal, field: 'Due date' }).text).toBe(text);
  });

  test('repeats no more than a receipt can hold, and cuts no character in half', () => {
    const { text } = explainRefusal({ reasonCode: 'NEW_CODE', message: '🏗'.repeat(100_000) });
    expect(text.length).toBeLessThan(1_000);
    expect(Buffer.from(text).toString()).toBe(text);
  });
});

test.each([
  ['UNKNOWN_FAILURE', true],
  ['A_CODE_OF_TOMORROW', true],
  ['OTHER', true],
  ['INTERNAL_ERROR', true],
  ['PERMISSION_DENIED', false],
  ['CONCURRENCY_CONFLICT', false],
  ['DUPLICATE_REVISION', false],
  ['INVALID_PROPERTY', false],
])('%s may have taken effect: %p', (code, may) => {
  expect(mayHaveTakenEffect(code)).toBe(may);
});
