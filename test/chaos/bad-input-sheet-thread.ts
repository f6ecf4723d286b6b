// One thread that reads workbook after workbook, also after one that it has refused, which the product ends
// its thread for: beginning a thread costs fifteen times what reading a small workbook does. The product's
// own code runs in it, under its limits of memory and time; one that dies or is ended is followed by a new
// one.
import { EventEmitter } from 'node:events';
import workerThreads, { type Worker, type WorkerOptions } from 'node:worker_threads';

interface Turn {
  readonly code: string;
  readonly data: unknown;
}

/**
 * What the lasting thread does: each text that it is sent finds a port of its own, and its task comes to
 * that.
 */
const LASTING = `
const threads = process.getBuiltinModule('node:worker_threads');
const { EventEmitter } = process.getBuiltinModule('node:events');
threads.parentPort.on('message', ({ code, data }) => {
  const parentPort = new EventEmitter();
  parentPort.postMessage = answer => threads.parentPort.postMessage(answer);
  const own = name => name === 'node:worker_threads' ? { parentPort } : require(name);
  // As with a real port, what was sent waits until somebody listens: the code imports before it does.
  parentPort.once('newListener', () => setImmediate(() => parentPort.emit('message', data)));
  (0, eval)('require => {' + code + '}')(own);
});`;

const RealWorker = workerThreads.Worker;
let lasting: Worker | undefined;

/** As the product uses a worker: sent tasks, listened to, kept, and terminated in the end. */
class BorrowedWorker extends EventEmitter {
  readonly #code: string;
  readonly #options: WorkerOptions;
  #thread: Worker | undefined;

  constructor(code: string, { resourceLimits }: WorkerOptions) {
    super();
    this.#code = code;
    this.#options = resourceLimits === undefined ? {} : { resourceLimits };
  }

  postMessage(data: unknown): void {
    const options = { ...this.#options, eval: true, execArgv: [], env: {}, stdout: true, stderr: true };
    lasting ??= new RealWorker(LASTING, options);
    this.#thread = lasting;
    this.#thread.once('message', this.#onMessage).once('error', this.#onError).once('exit', this.#onExit);
    this.#thread.postMessage({ code: this.#code, data } satisfies Turn);
  }

  ref(): this {
    return this;
  }

  /** It is kept for the next sheet: that one may be meant for a thread of its own. */
  unref(): this {
    queueMicrotask(() => this.emit('exit'));
    return this;
  }

  async terminate(): Promise<number> {
    const unanswered = this.#thread;
    this.#giveBack();
    if (unanswered === undefined) return 0;
    if (lasting === unanswered) lasting = undefined;
    return await unanswered.terminate();
  }

  #giveBack(): void {
    this.#thread?.off('message', this.#onMessage).off('error', this.#onError).off('exit', this.#onExit);
    this.#thread = undefined;
  }

  readonly #onMessage = (answer: unknown): void => {
    this.#giveBack();
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
