// How many test files run at one time: more while the machine has time and memory left for one. Tests wait a
// lot, for processes, servers and timers; how much of their time that is depends on the machine.
const { cpus, freemem } = require('node:os');
const { setTimeout: delay } = require('node:timers/promises');

const LOOK_MS = 500;
/** Of the time of all processors. */
const IDLE_SHARE = 0.1;
const FREE_BYTES = 2 * 1024 ** 3;

/** Looks for half a second. */
async function hasRoom() {
  const before = readTimes();
  await delay(LOOK_MS);
  const after = readTimes();
  const isIdle = after.idle - before.idle >= (after.all - before.all) * IDLE_SHARE;
  return isIdle && freemem() >= FREE_BYTES;
}

/** Of all processors together, in ms. */
function readTimes() {
  const times = cpus().map(cpu => cpu.times);
  return {
    idle: times.reduce((sum, { idle }) => sum + idle, 0),
    all: times.flatMap(each => Object.values(each)).reduce((sum, each) => sum + each, 0),
  };
}

/**
 * How many run at one time: `always` of them begin at once, the others when there is room. One at a time is
 * looked for, so that no two take the same room.
 */
class Pace {
  #always;
  #hasRoom;
  #running = 0;
  #turn = Promise.resolve();
  /** Of who waits for room. */
  #wake = () => undefined;

  constructor(always, look = hasRoom) {
    this.#always = always;
    this.#hasRoom = look;
  }

  /** Until one more may begin; it then counts, until `end`. */
  begin() {
    this.#turn = this.#turn.then(async () => {
      while (this.#running >= this.#always && !(await this.#lookOrWake())) {}
      this.#running += 1;
    });
    return this.#turn;
  }

  end() {
    this.#running -= 1;
    this.#wake();
  }

  /** Whether there is room; what ends meanwhile cuts the look. */
  #lookOrWake() {
    const ended = new Promise(resolve => {
      this.#wake = () => resolve(false);
    });
    return Promise.race([this.#hasRoom(), ended]);
  }
}

module.exports = { Pace };
