// Where every test file runs: as jest has it, and one that leaves something open behind it fails. A server, a
// socket, a process or a watcher that nobody closes keeps a run from ending, and disturbs the files that come
// after it in the same process. (A Temporal worker that is left shows by itself: its connection cannot be
// closed. Timers are not counted: libraries keep some, and nothing that waits for one does harm. Nor are
// worker threads: Node does not name them among what is open, and those of workflows are kept on purpose.)
//
// It is asked of the file and not of each test: what a file opens for all its tests, often with the first
// that needs it, is closed after the last, and connections are kept alive for seconds after the test that
// used them. But each test is looked at when it begins and ends, so that what stays open names the one that
// opened it.
const { setImmediate: nextTurn, setTimeout: delay } = require('node:timers/promises');
const { AsyncLocalStorage } = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');

const KINDS = ['TCPServerWrap', 'TCPSocketWrap', 'UDPWrap', 'ProcessWrap', 'FSEventWrap', 'StatWatcher'];
/** What was closed is gone some turns of the loop later; a machine that is busy takes its time. */
const GRACE_MS = 20_000;
const LOOK_EVERY_MS = 25;
const MOST_TURNS = 5;

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

/** Which tests have opened what was not closed since: its count was never again what it was before them. */
class OpenedBy {
  #before = new Map();
  #suspects = [];

  begins(counts) {
    this.sees(counts);
    this.#before = counts;
  }

  ends(name, counts) {
    this.sees(counts);
    for (const [kind, count] of counts) {
      const before = this.#before.get(kind) ?? 0;
      if (count > before) this.#suspects.push({ name, kind, before });
    }
  }

  /** What the test has closed is gone some turns of the loop later: else the next would seem to have it. */
  async ended(name) {
    const hasGrown = () => [...countOpen()].some(([kind, count]) => count > (this.#before.get(kind) ?? 0));
    for (let turn = 0; turn < MOST_TURNS && hasGrown(); turn += 1) await nextTurn();
    this.ends(name, countOpen());
  }

  sees(counts) {
    this.#suspects = this.#suspects.filter(({ kind, before }) => (counts.get(kind) ?? 0) > before);
  }

  namesOf(wanted) {
    return this.#suspects.filter(({ kind }) => kind === wanted).map(({ name }) => name);
  }
}

module.exports = class LeakGuard extends TestEnvironment {
  #before;
  #hasFailed = false;
  #openedBy = new OpenedBy();
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
    if (name === 'test_start') this.#openedBy.begins(countOpen());
    if (name === 'test_done') await this.#openedBy.ended(fullName(test));
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
    this.#openedBy.sees(countOpen());
    const left = leftOpen(this.#before, kind => this.#openedBy.namesOf(kind));
    if (left.length === 0) return;
    throw new Error(`Left open by the tests of ${this.#path}: ${left.join(', ')}`);
  }

  static countOpen = countOpen;
  static leftOpen = leftOpen;
  static OpenedBy = OpenedBy;
};

function countOpen() {
  const open = process.getActiveResourcesInfo();
  return new Map(KINDS.map(kind => [kind, open.filter(each => each === kind).length]));
}

/** What there is more of than before; what another file left may have been closed meanwhile. */
function leftOpen(before, openedBy = () => []) {
  return [...countOpen()]
    .filter(([kind, count]) => count > before.get(kind))
    .map(([kind, count]) => {
      const names = openedBy(kind).map(name => `"${name}"`);
      const since = names.length === 0 ? '' : `, open since ${names.join(' and ')}`;
      return `${count - before.get(kind)} ${kind}${since}`;
    });
}

function fullName({ name, parent }) {
  const names = [name];
  // The outermost block is jest's own.
  for (let block = parent; block?.parent; block = block.parent) names.unshift(block.name);
  return names.join(' ');
}
