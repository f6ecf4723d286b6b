import { codeOf, innerCodeOf } from '../../../activities/host/error-code';

test.each([
  [Object.assign(new Error('x'), { code: 'EIO' }), 'EIO'],
  [{ code: 'EIO' }, 'EIO'],
  [{ code: '' }, undefined],
  [{ code: 5 }, undefined],
  [new Error('x'), undefined],
  ['EIO', undefined],
  [null, undefined],
  [undefined, undefined],
])('the code of %p is %p', (error, code) => {
  expect(codeOf(error)).toBe(code);
});

test('the code of what an error wraps counts where it has none of its own', () => {
  const inner = { code: 'ECONNRESET' };
  expect(innerCodeOf(inner)).toBe('ECONNRESET');
  expect(innerCodeOf(new Error('x', { cause: inner }))).toBe('ECONNRESET');
  expect(innerCodeOf(Object.assign(new Error('x', { cause: inner }), { code: 'OUTER' }))).toBe('OUTER');
  expect(innerCodeOf(new AggregateError([inner, { code: 'EIO' }]))).toBe('ECONNRESET');
  expect(innerCodeOf(new Error('x'))).toBeUndefined();
});

test('a chain of causes that leads to itself has an end', () => {
  const error: { cause?: unknown } = {};
  error.cause = error;
  expect(innerCodeOf(error)).toBeUndefined();
});
