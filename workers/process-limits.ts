// Limits of the process itself, set by importing this file, before anything of weight
// is loaded: later comes too late.
import { setFlagsFromString } from 'node:v8';

/**
 * V8 lets the young generation of every isolate (main, workflow and hashing threads) grow to 48 MiB under
 * load and rarely gives it back: a worker of 250 MiB would become one of 340.
 */
const SEMI_SPACE_MIB = 4;
/**
 * By default V8 lets the old generation grow to up to four times what is alive in it before it collects: 300
 * MiB of garbage in a process of 60, and V8 keeps the memory that it once had.
 */
const GARBAGE_PERCENT = 50;
/** What is loaded at the start is not garbage: to collect meanwhile makes the start 5 % longer. */
const LOADED_AFTER_MS = 2_000;
/**
 * With libuv's default of four threads a mount that hangs soon leaves next to none for DNS and every other
 * file (activities/share/files/file-threads.ts). Idle ones cost no memory that shows.
 */
const FILE_THREADS = 32;

setFlagsFromString(`--max-semi-space-size=${SEMI_SPACE_MIB}`);
setTimeout(() => setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`), LOADED_AFTER_MS).unref();
holdYoungGeneration();
// Each new heap sets this flag back, for all heaps.
process.on('worker', thread => thread.once('online', holdYoungGeneration));
process.env.UV_THREADPOOL_SIZE ??= String(FILE_THREADS);

/** A heap reads the limit above when it begins. The main thread's has begun: it is kept from growing more. */
function holdYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
