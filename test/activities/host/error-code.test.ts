import { codeOf, hasCode, innerCodeOf } from '../../../activities/host/error-code';
import type { ShareErrorCode } from '../../../activities/share/files/share-error';
import { linesWith, sourcesOf } from '../../setup/product-sources';

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

test('an error has one of some codes by its own code alone', () => {
  const error = new Error('x', { cause: { code: 'batch-unknown' } });
  expect(hasCode<ShareErrorCode>(error, 'batch-unknown')).toBe(false);
  const damaged = Object.assign(error, { code: 'batch-damaged' });
  expect(hasCode<ShareErrorCode>(damaged, 'batch-unknown')).toBe(false);
  expect(hasCode<ShareErrorCode>(damaged, 'batch-unknown', 'batch-damaged')).toBe(true);
  expect(hasCode<ShareErrorCode>(undefined, 'batch-unknown')).toBe(false);
});

test('nowhere is a code compared as a text, which compiles with any typing mistake', () => {
  const product = sourcesOf('workflows', 'activities', 'workers', 'client').filter(
    // It is the table of what undici and the network say.
    ({ path }) => path !== 'activities/transfer/storage/storage-faults.ts',
  );
  const asked =
    /codeOf\([^()]*\)\)*( \?\? '')?\)* (===|!==) '|(includes|has|switch )\(codeOf\([^()]*\)( \?\? '')?\)/;
  expect(linesWith(product, asked)).toEqual([]);
  const ofTexts = product.filter(({ text }) => /const code = (?:String\()?codeOf\(/.test(text));
  expect(linesWith(ofTexts, /(?<!\.|typeof )\bcode (===|!==) '\w/)).toEqual([]);
});
