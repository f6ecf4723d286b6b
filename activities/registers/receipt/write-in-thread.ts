// Makes a receipt as a sheet in a thread: thousands of rows take seconds, and the workbook is one of other
// people.
import { join } from 'node:path';
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

export type ThreadAnswer =
  | { readonly kind: 'written'; readonly bytes: Uint8Array }
  | { readonly kind: 'failed'; readonly message: string };

const CODE = `const { workerData } = require('node:worker_threads');
for (const file of workerData.preloads) require(file);
require(workerData.entry);`;

/** @throws SheetError torn or too-large: then there is no such sheet. */
export async function writeInThread(task: SheetTask, limits = SHEET_LIMITS): Promise<Buffer> {
  const data = { preloads: THREAD_PRELOADS, entry: require.resolve(join(__dirname, 'receipt-thread')), task };
  const { heapMb, writeMs: deadlineMs } = limits;
  const answer = await askThread<ThreadAnswer>({ code: CODE, data, heapMb, deadlineMs, doing: 'written' });
  if (answer.kind === 'failed') throw tornSheet(new Error(answer.message));
  return Buffer.from(answer.bytes);
}
