// A group of hashing threads, started when first needed, and the pairing of
// their replies with what was asked.

import type { Worker } from 'node:worker_threads';
import { TransferError } from '../errors';
import { type HashReply, type HashRequest, startHashThread } from './hash-thread';

/** A thread ended under its work, or the pool was closed. Nothing is wrong with the file. */
export class HashThreadError extends TransferError {
  readonly code = 'HASH_THREAD';
}

interface Waiting {
  resolve(reply: HashReply): void;
  reject(error: unknown): void;
}

/** One thread. It holds the process only while it owes a reply; an idle one never keeps it alive. */
export class HashThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #ended: HashThreadError | undefined;

  constructor() {
    this.#worker = startHashThread();
    this.#worker.on('message', (reply: HashReply) => this.#settle(reply));
    this.#worker.on('error', cause => this.#end(new HashThreadError('a hashing thread failed', { cause })));
    this.#worker.on('exit', () => this.#end(new HashThreadError('a hashing thread ended')));
  }

  get isUsable(): boolean {
    return this.#ended === undefined;
  }

  get owed(): number {
    return this.#waiting.size;
  }

  /** Posts what `make` builds around the id; the promise settles with the thread's reply. */
  ask(make: (id: number) => HashRequest): { id: number; reply: Promise<HashReply> } {
    const id = this.#nextId++;
    const reply = new Promise<HashReply>((resolve, reject) => {
      if (this.#ended !== undefined) return reject(this.#ended);
      this.#waiting.set(id, { resolve, reject });
      if (this.#waiting.size === 1) this.#worker.ref();
      this.#worker.postMessage(make(id));
    });
    return { id, reply };
  }

  tell(request: HashRequest): void {
    if (this.#ended === undefined) this.#worker.postMessage(request);
  }

  async close(): Promise<void> {
    this.#end(new HashThreadError('the hash pool was closed'));
    await this.#worker.terminate();
  }

  #settle(reply: HashReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    waiting?.resolve(reply);
  }

  #end(error: HashThreadError): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#worker.unref();
  }
}

/** At most `size` threads; a dead one is replaced at the next use. */
export class HashThreadPool {
  readonly #size: number;
  #threads: HashThread[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  /** How many threads could begin at once, started or not. */
  idleCount(): number {
    return this.#size - this.#usable().filter(thread => thread.owed > 0).length;
  }

  /** A thread that owes nothing, started if need be; `undefined` when all are at work. */
  idle(): HashThread | undefined {
    const threads = this.#usable();
    const idle = threads.find(thread => thread.owed === 0);
    if (idle !== undefined || threads.length >= this.#size) return idle;
    const started = new HashThread();
    threads.push(started);
    return started;
  }

  /** The thread that owes the fewest replies. */
  leastBusy(): HashThread {
    return (
      this.idle() ?? this.#usable().reduce((least, thread) => (thread.owed < least.owed ? thread : least))
    );
  }

  async close(): Promise<void> {
    const threads = this.#threads;
    this.#threads = [];
    await Promise.all(threads.map(thread => thread.close()));
  }

  #usable(): HashThread[] {
    if (!this.#threads.every(thread => thread.isUsable))
      this.#threads = this.#threads.filter(thread => thread.isUsable);
    return this.#threads;
  }
}
