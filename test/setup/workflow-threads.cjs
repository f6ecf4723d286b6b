// Threads in which Temporal's workers run workflows, kept between the workers of a process's tests. A test
// has a worker of its own, and to start a thread, load the SDK there and run the bundle once takes most of
// the CPU of a test. Loaded by Node itself, not by jest's loader: so it lives as long as the process.
const { createHash } = require('node:crypto');
const { EventEmitter } = require('node:events');
const { Worker } = require('node:worker_threads');

/** Idle ones; each holds the SDK and a bundle. */
const MOST_IDLE = 3;
/** What `terminate` of a thread answers. */
const TERMINATED = 1;
/** Our own request among those of workers, which count from 0. */
const CLEARED = -1n;

/** The one last used is the last. */
const idle = [];

/** As much of a Worker as its client uses (@temporalio/worker, threaded-vm.js). */
class KeptThread extends EventEmitter {
  #program;
  #thread;
  /** What it was begun with, and with which `init` that was. */
  #begunAs;
  #runs = 0;
  #isEnded = false;
  #forward = message => {
    if (message.requestId !== CLEARED) this.emit('message', message);
  };
  #fail = error => this.emit('error', error);
  #exit = code => {
    this.#isEnded = true;
    this.emit('exit', code);
  };

  constructor(program) {
    super();
    this.#program = program;
  }

  postMessage(request, transfer) {
    const { input } = request;
    if (input.type === 'init') {
      this.#begin(request);
      return;
    }
    if (input.type === 'create-workflow') this.#runs += 1;
    if (input.type === 'dispose-workflow') this.#runs -= 1;
    // The next worker goes on with what this one has begun.
    if (input.type === 'destroy') this.#answer(request);
    else this.#thread.postMessage(request, transfer);
  }

  async terminate() {
    const thread = this.#thread;
    thread?.off('message', this.#forward).off('error', this.#fail).off('exit', this.#exit);
    if (thread === undefined || this.#isEnded) return TERMINATED;
    if (this.#runs === 0) keep({ thread, begunAs: this.#begunAs });
    else await thread.terminate();
    this.emit('exit', TERMINATED);
    return TERMINATED;
  }

  #begin(request) {
    this.#begunAs = describe(request.input);
    const kept = take(this.#begunAs);
    this.#thread = kept?.thread ?? new Worker(this.#program);
    this.#thread.on('message', this.#forward).on('error', this.#fail).on('exit', this.#exit);
    this.#thread.ref();
    if (kept?.begunAs === this.#begunAs) {
      this.#answer(request);
      return;
    }
    // It has run another bundle, or knows other activities: the SDK is loaded at least.
    if (kept !== undefined) this.#thread.postMessage({ requestId: CLEARED, input: { type: 'destroy' } });
    this.#thread.postMessage(request);
  }

  #answer({ requestId }) {
    queueMicrotask(() => this.#forward({ requestId, result: { type: 'ok' } }));
  }
}

/** One that was begun alike, or else any. */
function take(begunAs) {
  const at = idle.findLastIndex(one => one.begunAs === begunAs);
  return at < 0 ? idle.shift() : idle.splice(at, 1)[0];
}

function keep(one) {
  one.thread.unref();
  idle.push(one);
  if (idle.length > MOST_IDLE) void idle.shift().thread.terminate();
}

/** Of a worker's own realm, whose sets are none of ours. */
function describe({ workflowBundle: { code, filename }, registeredActivityNames, ...others }) {
  const sum = createHash('sha1').update(code).digest('hex');
  return JSON.stringify([sum, filename, [...registeredActivityNames].sort(), others]);
}

exports.KeptThread = KeptThread;
