// The code of the thread that makes a receipt as a sheet (write-in-thread.ts).
import { parentPort } from 'node:worker_threads';
import { writeCorrectedWorkbook } from '../write/corrected-register';
import { writePlainWorkbook } from './plain-receipt';
import { writeRegisterCsv, writeRegisterWorkbook } from './register-receipt';
import type { SheetTask, ThreadReply } from './write-in-thread';

parentPort?.on('message', async (task: SheetTask) => {
  const reply: ThreadReply = await write(task).then(
    bytes => ({ kind: 'written', bytes }),
    (error: unknown) => ({ kind: 'failed', message: String(error) }),
  );
  parentPort?.postMessage(reply);
});

async function write(task: SheetTask): Promise<Uint8Array> {
  switch (task.kind) {
    case 'corrected-workbook':
      return await writeCorrectedWorkbook(task.corrected);
    case 'plain-workbook':
      return await writePlainWorkbook(task.facts, task.results, task.toFill);
    case 'register-csv':
      return writeRegisterCsv(task.register, task.receipt).bytes;
    case 'register-workbook':
      return (await writeRegisterWorkbook(task.register, task.receipt)).bytes;
  }
}
