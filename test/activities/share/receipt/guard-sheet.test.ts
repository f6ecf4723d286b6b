// Trouble with one sheet is told as that sheet's, whatever it is.
import type { ShareLayout } from '../../../../activities/share/files/share-layout';
import { guardSheet } from '../../../../activities/share/receipt/guard-sheet';
import { fsError } from '../faulty-fs';

const layout = { root: '/share', fs: { look: async () => ({}) } } as unknown as ShareLayout;

async function guarded(error: unknown) {
  return await guardSheet(layout, 'attention/A/receipt.xlsx', async () => {
    throw error;
  });
}

test('a file that may not be read is told by its code', async () => {
  expect(await guarded(fsError('EACCES'))).toMatchObject([{ kind: 'trouble', why: 'EACCES' }]);
});

test('a bug is told by its message and place, and goes with what was thrown', async () => {
  const error = new TypeError('cells is undefined');
  const why = expect.stringMatching(/^TypeError: cells is undefined at .*guard-sheet\.test\.ts:\d+:\d+/);
  expect(await guarded(error)).toMatchObject([{ kind: 'trouble', why, error }]);
});

test('trouble of the whole share is thrown', async () => {
  await expect(guarded(fsError('ESTALE'))).rejects.toMatchObject({ code: 'share-away' });
});
