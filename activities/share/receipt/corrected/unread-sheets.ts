// Receipts in which people correct rows though nothing is read from them: the one for programs, and those
// that were saved as a kind of sheet that is not read. Whoever saves one is told which one to correct.
import { quote } from '../../../registers/register-fault';
import { hasSheetEnding, sheetFormatOf } from '../../../registers/sheet/read-sheet';
import type { OnNotOurs } from '../../files/own-marks';
import { nameOf } from '../../files/relative-path';
import type { ShareLayout } from '../../files/share-layout';
import { findJobReceipts } from '../settle-job';
import type { FinishedJob } from './decide-correction';

/** As we name the receipt of a job that had no register. */
export function isPlainName(name: string): boolean {
  return /^receipt(?:-\d{8}-\d{6}-[a-z2-7]{6})?(?: \(\d+\))?\.xlsx$/.test(name);
}

/** As we name the receipt for programs. */
export function isCsvName(name: string): boolean {
  return /^receipt(?:-\d{8}-\d{6}-[a-z2-7]{6})?(?: \(\d+\))?\.csv$/.test(name);
}

/** Whether it is called like a receipt, and is of a kind of sheet that is not read. */
export function isOtherKind(name: string): boolean {
  return /^receipt(?:-.*| \(\d+\))?\.[^.]+$/.test(name) && hasSheetEnding(name) && !sheetFormatOf(name);
}

/** What whoever has saved it is told. */
export async function tellUnread(
  layout: ShareLayout,
  { record }: FinishedJob,
  path: string,
  onNotOurs: OnNotOurs,
): Promise<string> {
  const receipts = await findJobReceipts(layout, record.jobId, onNotOurs);
  const isPlain = record.register === undefined;
  const sheet = receipts.find(each => !isCsvName(nameOf(each)) && isPlainName(nameOf(each)) === isPlain);
  const that = sheet && `${quote(sheet)}, and save that.`;
  if (!isCsvName(nameOf(path))) {
    const or = that === undefined ? '.' : `, or correct ${that}`;
    return `Corrections are not read from a sheet of this kind. Save it as .xlsx${or}`;
  }
  const instead =
    that === undefined ? 'Drop the files again with a register that lists them.' : `Correct ${that}`;
  return `This receipt is for programs, and corrections are not read from it. ${instead}`;
}
