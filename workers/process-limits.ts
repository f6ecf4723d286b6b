// Limits of the process itself, set by importing this file, before anything of weight
// is loaded: later comes too late.
import { setFlagsFromString } from 'node:v8';

/**
 * V8 lets the young generation of every isolate (main, workflow and hashing threads) grow to 48 MiB under
 * load and rarely gives it back: a worker of 250 MiB would become one of 340.
 */
const SEMI_SPACE_MIB = 4;
/**
 * By itself V8 collects the old generation when it is up to four times what is alive in it: 300 MiB of
 * garbage in a process of 60, and what it has had it keeps.
 */
const GARBAGE_PERCENT = 50;
/** What is loaded at the start is no garbage: to look for some meanwhile makes it 5 % longer. */
const LOADED_AFTER_MS = 2_000;
/**
 * libuv's default of four threads is one hung mount away from a standstill of DNS and every other file; each
 * thread costs memory of its own, though.
 */
const FILE_THREADS = 8;

setFlagsFromString(`--max-semi-space-size=${SEMI_SPACE_MIB}`);
setTimeout(() => setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`), LOADED_AFTER_MS).unref();
holdYoungGeneration();
// A heap that begins sets this flag back, for all of them.
process.on('worker', thread => thread.once('online', holdYoungGeneration));
process.env.UV_THREADPOOL_SIZE ??= String(FILE_THREADS);

/** The limit above is read when a heap begins, and that of the main thread has: it does not grow any more. */
function holdYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
