// Where every test file runs: as jest has it, and one that leaves something open behind it fails. A server, a
// socket, a process or a watcher that nobody closes keeps a run from ending, and disturbs the files that come
// after it in the same process. (A Temporal worker that is left shows by itself: its connection cannot be
// closed. Timers are not counted: libraries keep some, and nothing that waits for one does harm.)
const { setTimeout: delay } = require('node:timers/promises');
const { AsyncLocalStorage } = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');

const KINDS = ['TCPServerWrap', 'TCPSocketWrap', 'UDPWrap', 'ProcessWrap', 'FSEventWrap', 'StatWatcher'];
/** What was closed is gone some turns of the loop later; a machine that is busy takes its time. */
const GRACE_MS = 20_000;
const LOOK_EVERY_MS = 25;

/**
 * Up to Node 22 one that was used once is looked at with every promise, until somebody disables it. Jest has
 * one for each file, the SDK two: hundreds of files in one process made those after them several times as
 * slow.
 */
const usedStorages = new Set();
const { _enable: enable } = AsyncLocalStorage.prototype;
if (enable !== undefined && enable.name !== 'enableOnce') {
  AsyncLocalStorage.prototype._enable = function enableOnce() {
    if (!this.enabled) usedStorages.add(this);
    enable.call(this);
  };
}

module.exports = class LeakGuard extends TestEnvironment {
  #before;
  #hasFailed = false;
  #path;

  constructor(config, context) {
    super(config, context);
    this.#path = context.testPath;
  }

  /**
   * Who has failed, or was cut short, may not have come to closing anything: that
   * it failed is what is to be told.
   */
  async handleTestEvent({ name, test }) {
    if (name === 'hook_failure' || name === 'error' || (name === 'test_done' && test.errors.length > 0))
      this.#hasFailed = true;
  }

  async setup() {
    await super.setup();
    // For libraries that jest's own loader cannot load (load-hucre.cjs).
    this.global.loadByNode = name => require(name);
    this.#before = countOpen();
  }

  async teardown() {
    await super.teardown();
    for (const storage of usedStorages) storage.disable();
    usedStorages.clear();
    if (this.#hasFailed) return;
    const until = performance.now() + GRACE_MS;
    while (leftOpen(this.#before).length > 0 && performance.now() < until) await delay(LOOK_EVERY_MS);
    const left = leftOpen(this.#before);
    if (left.length === 0) return;
    throw new Error(`Left open by the tests of ${this.#path}: ${left.join(', ')}`);
  }

  static countOpen = countOpen;
  static leftOpen = leftOpen;
};

function countOpen() {
  const open = process.getActiveResourcesInfo();
  return new Map(KINDS.map(kind => [kind, open.filter(each => each === kind).length]));
}

/** What there is more of than before; what another file left may have been closed meanwhile. */
function leftOpen(before) {
  return [...countOpen()]
    .filter(([kind, count]) => count > before.get(kind))
    .map(([kind, count]) => `${count - before.get(kind)} ${kind}`);
}
