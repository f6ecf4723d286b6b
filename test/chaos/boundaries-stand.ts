// Makes a process stand still at a boundary of its effects, exactly there, until it is told to go on: what
// others do to its run meanwhile, it learns afterwards. Its sockets stay open, and what arrives waits.
import { existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { PassBoundary } from './boundaries-counter';

/** What the file of orders says. Each new turn counts from one. */
export interface StandOrder {
  readonly turn: number;
  /** At so many boundaries that matter after the turn began; absent: nowhere, they are only written down. */
  readonly standAt?: number | undefined;
  /** Goes on when this file is there. */
  readonly goFile: string;
}

/** Follows the line of the boundary at which the process stands. */
export const STANDS = 'stands here';

const LOOK_EVERY_MS = 5;

/** The functions of node:fs are taken before anybody wraps them. */
export function createStander({ logFile, orderFile }: { logFile: string; orderFile: string }): PassBoundary {
  const [write, read, isThere] = [writeSync, readFileSync, existsSync];
  const log = openSync(logFile, 'a', 0o600);
  const clock = new Int32Array(new SharedArrayBuffer(4));
  let turn = 0;
  let passed = 0;
  return name => {
    if (!matters(name)) return;
    const order = JSON.parse(read(orderFile, 'utf8')) as StandOrder;
    if (order.turn !== turn) {
      turn = order.turn;
      passed = 0;
    }
    passed += 1;
    write(log, `${turn} ${name}\n`);
    if (passed !== order.standAt) return;
    write(log, `${turn} ${STANDS}\n`);
    while (!isThere(order.goFile)) Atomics.wait(clock, 0, 0, LOOK_EVERY_MS);
  };
}

/** Requests that have an effect, and what is noted on the share: not what only asks, nor pieces of either. */
function matters(boundary: string): boolean {
  const request = /^http (POST|PATCH|PUT) (\S+) (before|sent|answered|over)$/.exec(boundary);
  if (request !== null) return !/selected_uploads|oauth/.test(request[2] ?? '');
  return /^(link|rename) \.drawbridge\/batches\/\S+\.json (before|after)$/.test(boundary);
}
