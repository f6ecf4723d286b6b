// Runs code of ours on a sheet of other people in a thread of its own, under a memory limit and a
// deadline: a few kilobytes of XML can ask the library for billions of cells or turns of a loop, and no list
// of such tricks is ever whole. A large sheet takes seconds; the process goes on meanwhile.
import { Worker } from 'node:worker_threads';
import { type SheetError, tooLargeSheet, tornSheet } from './sheet-error';

export interface ThreadTask {
  /** JavaScript; it posts one message, the answer. */
  readonly code: string;
  readonly data: unknown;
  readonly heapMb: number;
  readonly deadlineMs: number;
  /** "read", "written": what did not come to an end in time. */
  readonly doing: string;
}

/** @throws SheetError torn or too-large. */
export async function askThread<Answer>(task: ThreadTask): Promise<Answer> {
  const worker = new Worker(task.code, {
    eval: true,
    // Neither loaders nor preloads of the process are of use here, and no secret of its environment is.
    execArgv: [],
    env: {},
    name: 'workbook',
    workerData: task.data,
    resourceLimits: { maxOldGenerationSizeMb: task.heapMb },
    // What a library warns of goes to no log.
    stdout: true,
    stderr: true,
  });
  try {
    return await answerOf<Answer>(worker, task);
  } finally {
    await worker.terminate();
  }
}

async function answerOf<Answer>(worker: Worker, { deadlineMs, doing }: ThreadTask): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(
      () => reject(tooLargeSheet(`The workbook could not be ${doing} within ${deadlineMs / 1000} seconds`)),
      deadlineMs,
    );
    const settle = (act: () => void) => () => {
      clearTimeout(deadline);
      act();
    };
    worker.once('message', (answer: Answer) => settle(() => resolve(answer))());
    worker.once('error', error => settle(() => reject(toSheetError(error)))());
    worker.once(
      'exit',
      settle(() => reject(tornSheet())),
    );
  });
}

function toSheetError(error: unknown): SheetError {
  const isMemory = (error as { readonly code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isMemory ? tooLargeSheet('The workbook takes more memory than is allowed', error) : tornSheet(error);
}
