// One thread that reads workbook after workbook, in place of one thread for each: beginning a thread costs
// fifteen times what reading a small workbook does. The product's own code runs in it, under its limits of
// memory and time; one that dies or is ended is followed by a new one.
import { EventEmitter } from 'node:events';
import workerThreads, { type Worker, type WorkerOptions } from 'node:worker_threads';

interface Turn {
  readonly code: string;
  readonly data: unknown;
}

/** What the lasting thread does: each text that it is sent finds a port and a task of its own. */
const LASTING = `
const threads = process.getBuiltinModule('node:worker_threads');
const real = process.getBuiltinModule;
threads.parentPort.on('message', ({ code, data }) => {
  const parentPort = { postMessage: answer => threads.parentPort.postMessage(answer) };
  process.getBuiltinModule = name =>
    name === 'node:worker_threads' ? { parentPort, workerData: data } : real.call(process, name);
  (0, eval)('require => ' + code)(require);
});`;

const RealWorker = workerThreads.Worker;
let lasting: Worker | undefined;

/** As the product uses a worker: listened to, and terminated in the end. */
class BorrowedWorker extends EventEmitter {
  readonly #thread: Worker;
  #isAnswered = false;

  constructor(code: string, { workerData, resourceLimits }: WorkerOptions) {
    super();
    lasting ??= new RealWorker(LASTING, {
      eval: true,
      execArgv: [],
      env: {},
      ...(resourceLimits === undefined ? {} : { resourceLimits }),
      stdout: true,
      stderr: true,
    });
    this.#thread = lasting;
    this.#thread.once('message', this.#onMessage);
    this.#thread.once('error', this.#onError);
    this.#thread.once('exit', this.#onExit);
    this.#thread.postMessage({ code, data: workerData } satisfies Turn);
  }

  async terminate(): Promise<number> {
    this.#thread.off('message', this.#onMessage).off('error', this.#onError).off('exit', this.#onExit);
    if (this.#isAnswered) return 0;
    if (lasting === this.#thread) lasting = undefined;
    return await this.#thread.terminate();
  }

  readonly #onMessage = (answer: unknown): void => {
    this.#isAnswered = true;
    this.emit('message', answer);
  };

  readonly #onError = (error: unknown): void => void this.emit('error', error);

  readonly #onExit = (): void => void this.emit('exit');
}

/** While `act` runs, workbooks are read in the lasting thread. */
export async function inLastingThread<Value>(act: () => Promise<Value>): Promise<Value> {
  workerThreads.Worker = BorrowedWorker as unknown as typeof RealWorker;
  try {
    return await act();
  } finally {
    workerThreads.Worker = RealWorker;
  }
}

export async function endLastingThread(): Promise<void> {
  await lasting?.terminate();
  lasting = undefined;
}
