// Makes a receipt as a sheet in a thread: thousands of rows take seconds, and the workbook that is changed
// comes from other people.
import { askThread } from '../sheet/ask-thread';
import { tornSheet } from '../sheet/sheet-error';
import { SHEET_LIMITS } from '../sheet/sheet-limits';
import { THREAD_PRELOADS } from '../sheet/thread-preloads';
import type { CorrectedRegister } from '../write/corrected-register';
import type { FileResult } from './plain-receipt';
import type { ReceiptFacts } from './receipt-about';
import type { RegisterCsv, RegisterReceipt, RegisterWorkbook } from './register-receipt';

export type SheetTask =
  | {
      readonly kind: 'register-workbook';
      readonly register: RegisterWorkbook;
      readonly receipt: RegisterReceipt;
    }
  | { readonly kind: 'register-csv'; readonly register: RegisterCsv; readonly receipt: RegisterReceipt }
  | { readonly kind: 'corrected-workbook'; readonly corrected: CorrectedRegister }
  | {
      readonly kind: 'plain-workbook';
      readonly facts: ReceiptFacts;
      readonly results: readonly FileResult[];
      readonly toFill?: readonly string[] | undefined;
    };

export type ThreadReply =
  | { readonly kind: 'written'; readonly bytes: Uint8Array }
  | { readonly kind: 'failed'; readonly message: string };

const CODE = `for (const file of ${JSON.stringify(THREAD_PRELOADS)}) require(file);
require(${JSON.stringify(require.resolve(`${__dirname}/receipt-thread`))});`;

const MODULES = ['hucre', 'hucre/xlsx', 'hucre/xml'];

/** @throws SheetError torn or too-large, when the sheet cannot be made. */
export async function writeInThread(task: SheetTask, limits = SHEET_LIMITS): Promise<Buffer> {
  const { heapMb, writeMs: deadlineMs } = limits;
  const isWell = ({ kind }: ThreadReply) => kind === 'written';
  const asked = { code: CODE, modules: MODULES, data: task, heapMb, deadlineMs };
  const reply = await askThread({ ...asked, doing: 'written', isWell });
  if (reply.kind === 'failed') throw tornSheet(new Error(reply.message));
  return Buffer.from(reply.bytes);
}
