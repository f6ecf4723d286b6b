import { describeTrouble, isBug } from '../../../../activities/share/files/share-error';
import { fsError } from '../faulty-fs';

test('a wrong argument to Node is a bug, though it has a code; what the file system says is none', () => {
  const wrong = Object.assign(new TypeError('x'), { code: 'ERR_INVALID_ARG_TYPE' });
  expect(isBug(wrong)).toBe(true);
  expect(describeTrouble(wrong)).toMatch(/^TypeError: x at .*share-error\.test\.ts:\d+:\d+/);
  expect(isBug(fsError('EMFILE'))).toBe(false);
  expect(describeTrouble(fsError('EISDIR'))).toBe('EISDIR');
});
