// What the types of error codes refuse. Nothing here runs: `npm run check` compiles it, and an expected error
// that does not come is one itself.
import { hasCode } from '../../activities/host/error-code';
import type { SystemCode } from '../../activities/host/file-trouble';
import type { ShareErrorCode } from '../../activities/share/files/share-error';
import type { TransferErrorCode } from '../../activities/transfer/errors';

declare const error: unknown;
declare const some: readonly ShareErrorCode[];

/** As it should be, to see that the errors below are those that are meant. */
export const compiles: readonly boolean[] = [
  hasCode<ShareErrorCode>(error, 'batch-unknown', 'key-differs'),
  hasCode<ShareErrorCode>(error, ...some),
  hasCode<TransferErrorCode>(error, 'STOPPED'),
  hasCode<SystemCode>(error, 'EXDEV'),
];

export function wrongCodes(): void {
  // @ts-expect-error A share throws no such code.
  hasCode<ShareErrorCode>(error, 'batch-unknwon');
  // @ts-expect-error The second one is as wrong.
  hasCode<ShareErrorCode>(error, 'batch-unknown', 'EIO');
  // @ts-expect-error One of the share is none of the upload engine.
  hasCode<TransferErrorCode>(error, 'batch-unknown');
  // @ts-expect-error No system says so.
  hasCode<SystemCode>(error, 'EXDEVICE');
  // @ts-expect-error Whose codes they are has to be said.
  hasCode(error, 'batch-unknown');
}
