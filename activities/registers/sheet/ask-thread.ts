// Runs code of ours on a sheet of other people in a thread, alone, under a memory limit and a deadline: a few
// kilobytes of XML can ask the library for billions of cells or turns of a loop, and no list of such tricks
// is ever whole. A large sheet takes seconds; the process goes on meanwhile. Beginning a thread costs many
// times what a usual sheet does: one that has worked well is asked again when the next comes soon.
import { Worker } from 'node:worker_threads';
import { createLimit, type Limit } from '../../host/concurrency';
import { SheetError, tooLargeSheet, tornSheet } from './sheet-error';

export interface ThreadTask<Reply> {
  /** JavaScript; it replies to each message with one of its own, and keeps nothing of it. */
  readonly code: string;
  /**
   * Names of the ES modules that the code requires, as this file would find them. They are imported before
   * it runs: where a thread ends while it *requires* one, Node 20 ends the whole process ("IsGraphAsync must
   * be used on an instantiated module").
   */
  readonly modules: readonly string[];
  readonly data: unknown;
  readonly heapMb: number;
  readonly deadlineMs: number;
  /** What did not come to an end in time. */
  readonly doing: 'read' | 'written';
  /** Whether the sheet went well. If not, the thread is ended and gets no other. */
  readonly isWell: (reply: Reply) => boolean;
}

/** How long a thread waits for the next sheet. */
const IDLE_MS = 2_000;
/**
 * Of each of reading and writing: threads at one time. Each may take its whole memory limit, and somebody may
 * drop a hundred workbooks that do. Reading has no part in the room of writing: workbooks that take until
 * their deadline to read hold up no receipt.
 */
const MOST_AT_ONCE = 2;
/** Of the objects just made, which V8 lets grow to 48 MiB a thread: with 8 a usual sheet is as fast. */
const MOST_YOUNG_MB = 8;

interface Waiting {
  readonly worker: Worker;
  readonly end: NodeJS.Timeout;
}

/** Threads that wait for their next sheet: one at most for each code and limit of memory. */
const waiting = new Map<string, Waiting>();

const limits = new Map<string, Limit>();

/**
 * The deadline counts from when a thread has the sheet, not while others are before it.
 *
 * @throws SheetError torn or too-large.
 */
export async function askThread<Reply>(task: ThreadTask<Reply>): Promise<Reply> {
  const limit = limits.get(task.doing) ?? createLimit(MOST_AT_ONCE);
  limits.set(task.doing, limit);
  return await limit(() => askNow(task));
}

async function askNow<Reply>(task: ThreadTask<Reply>): Promise<Reply> {
  const kind = `${task.heapMb} ${task.code}`;
  const known = takeWaiting(kind);
  if (known !== undefined) {
    try {
      return await ask(known, kind, task);
    } catch (error) {
      // The waiting thread may have died of an earlier sheet: a new one is asked.
      if (error instanceof SheetError) throw error;
    }
  }
  try {
    return await ask(begin(task), kind, task);
  } catch (error) {
    throw error instanceof SheetError ? error : toSheetError(error);
  }
}

async function ask<Reply>(worker: Worker, kind: string, task: ThreadTask<Reply>): Promise<Reply> {
  let isWell = false;
  try {
    const reply = await replyOf<Reply>(worker, task);
    isWell = task.isWell(reply);
    return reply;
  } finally {
    if (isWell && !waiting.has(kind)) keep(kind, worker);
    else await worker.terminate();
  }
}

function begin({ code, modules, heapMb }: Pick<ThreadTask<unknown>, 'code' | 'modules' | 'heapMb'>): Worker {
  return new Worker(importedFirst(modules, code), {
    eval: true,
    // Neither loaders nor preloads of the process are of use here, and no secret of its environment is.
    execArgv: [],
    env: {},
    name: 'workbook',
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: MOST_YOUNG_MB },
    // What a library warns of goes to no log.
    stdout: true,
    stderr: true,
  });
}

function importedFirst(modules: readonly string[], code: string): string {
  return `const { resolve } = process.getBuiltinModule('node:module').createRequire(${JSON.stringify(__filename)});
const { pathToFileURL } = process.getBuiltinModule('node:url');
Promise.all(${JSON.stringify(modules)}.map(name => import(pathToFileURL(resolve(name)))))
  .then(() => {${code}\n});`;
}

function takeWaiting(kind: string): Worker | undefined {
  const found = waiting.get(kind);
  if (found === undefined) return undefined;
  waiting.delete(kind);
  clearTimeout(found.end);
  unheard(found.worker).ref();
  return found.worker;
}

/** Listeners for replies need not be removed: each is gone with the reply that it heard. */
function unheard(worker: Worker): Worker {
  return worker.removeAllListeners('error').removeAllListeners('exit');
}

/** Lets a thread wait for its next sheet. It keeps no process from ending. */
function keep(kind: string, worker: Worker): void {
  const forget = () => {
    if (waiting.get(kind)?.worker === worker) waiting.delete(kind);
    void worker.terminate();
  };
  unheard(worker).once('error', forget).once('exit', forget).unref();
  waiting.set(kind, { worker, end: setTimeout(forget, IDLE_MS).unref() });
}

/** @throws SheetError when it takes too long; otherwise what ended the thread. */
async function replyOf<Reply>(
  worker: Worker,
  { data, deadlineMs, doing }: Pick<ThreadTask<Reply>, 'data' | 'deadlineMs' | 'doing'>,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(
      () => reject(tooLargeSheet(`The workbook could not be ${doing} within ${deadlineMs / 1000} seconds`)),
      deadlineMs,
    );
    const settle = (act: () => void) => () => {
      clearTimeout(deadline);
      act();
    };
    worker.once('message', (reply: Reply) => settle(() => resolve(reply))());
    worker.once('error', error => settle(() => reject(error))());
    worker.once('exit', () => settle(() => reject(new Error('The thread has ended.')))());
    worker.postMessage(data);
  });
}

function toSheetError(error: unknown): SheetError {
  const isMemory = (error as { readonly code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isMemory ? tooLargeSheet('The workbook takes more memory than is allowed', error) : tornSheet(error);
}
