// Trouble with one sheet keeps no other from being read.
import { codeOf } from '../../host/error-code';
import { toShareError } from '../files/share-error';
import type { ShareLayout } from '../files/share-layout';
import type { SheetNews } from './sheet-news';

/** @throws what the share says of itself. */
export async function guardSheet(
  layout: ShareLayout,
  path: string,
  work: () => Promise<readonly SheetNews[]>,
): Promise<readonly SheetNews[]> {
  try {
    return await work();
  } catch (error) {
    const trouble = toShareError(error);
    if (trouble?.code.startsWith('share-') === true) throw trouble;
    await layout.fs.look(layout.root);
    return [{ kind: 'trouble', path, why: trouble?.message ?? codeOf(error) ?? 'unknown error' }];
  }
}
