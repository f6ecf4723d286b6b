// Who leads: which process keeps the rate limit of an account on this host. It is the one that listens on
// the newest numbered socket of a folder; the number is its term. Binding a socket is exclusive in the
// kernel, and its end shows there at once, however its process ended: so there is no lock that could stay
// behind. A term whose leader is gone is never taken again; the next number is.
import { mkdirSync, openSync, readdirSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hostClock } from '../../host/clock';
import { hasCode } from '../../host/error-code';
import type { SystemCode } from '../../host/file-trouble';
import { thisProcess } from '../../host/process-identity';
import { ensurePrivateFolder } from '../private-file';

export interface ElectionOptions {
  /** On a local disk, for this account alone; made with mode 0700 when missing. */
  readonly folder: string;
}

/** What became of the calling process: it leads, or it is connected to the process that does. */
export type Elected =
  | { readonly role: 'leader'; readonly term: number; readonly server: Server }
  | { readonly role: 'follower'; readonly term: number; readonly socket: Socket };

/**
 * The system's limit for the path of a socket is 104 to 108 bytes; longer ones are cut short without a word.
 */
const LONGEST_SOCKET_PATH = 100;
/**
 * Between binding and listening a leader looks dead; it takes microseconds, this long
 * on a machine that is very busy.
 */
const SECOND_LOOK_MS = 30;
const MOST_TRIES = 50;

/** The election of the leader of one account. */
export class RateElection {
  readonly #folder: string;
  #reach: string | undefined;

  constructor({ folder }: ElectionOptions) {
    this.#folder = folder;
  }

  /**
   * Finds the leader or becomes it. Leaders up to the term `deadUpTo` count as dead although they listen.
   * Throws what the system says when there can be no sockets in the folder.
   */
  async run(deadUpTo = 0): Promise<Elected> {
    await ensurePrivateFolder(this.#folder);
    this.#reach ??= this.#findReach();
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { newest, listening } = this.#look();
      if (listening === newest && listening > deadUpTo) {
        const socket = (await this.#connect(newest)) ?? (await this.#connectLater(newest));
        if (socket !== undefined) return { role: 'follower', term: newest, socket };
      }
      const term = Math.max(newest, deadUpTo) + 1;
      const server = await this.#listen(term);
      if (server === undefined) continue;
      // We do not lead if somebody was faster by more than one term, or began to listen after we had looked.
      if (this.#look().newest === term && !(await this.#isLed(listening, deadUpTo))) {
        this.#removeSocketsBefore(term);
        server.off('connection', endConnection);
        return { role: 'leader', term, server };
      }
      server.close();
    }
    throw new Error('no leader of the rate limit could be found or made');
  }

  /**
   * Whether the leader of this term still leads: nobody has begun a newer one, nor removed the folder.
   */
  isNewest(term: number): boolean {
    try {
      const { newest, listening } = this.#look();
      return newest === term && listening === term;
    } catch {
      return false;
    }
  }

  /** The file with the state of a term. */
  statePath(term: number): string {
    return join(this.#folder, `${term}.json`);
  }

  /** Path of the newest state that a leader before this term left. */
  statePathBefore(term: number): string | undefined {
    const before = this.#entries().filter(entry => entry.kind === 'json' && entry.term < term);
    const newest = before.reduce((most, entry) => Math.max(most, entry.term), 0);
    return newest === 0 ? undefined : this.statePath(newest);
  }

  /** Removes what terms before this one left; call it when nothing of it is needed any more. */
  removeBefore(term: number): void {
    for (const entry of this.#entries()) {
      if (entry.term < term) remove(join(this.#folder, `${entry.term}.${entry.kind}`));
    }
  }

  #look(): { readonly newest: number; readonly listening: number } {
    let newest = 0;
    let listening = 0;
    for (const { term, kind } of this.#entries()) {
      newest = Math.max(newest, term);
      if (kind === 'sock') listening = Math.max(listening, term);
    }
    return { newest, listening };
  }

  #entries(): { readonly term: number; readonly kind: 'sock' | 'json' }[] {
    return readdirSync(this.#folder).flatMap(name => {
      const found = /^(\d{1,12})\.(sock|json)$/.exec(name);
      if (found === null) return [];
      return [{ term: Number(found[1]), kind: found[2] === 'sock' ? ('sock' as const) : ('json' as const) }];
    });
  }

  #removeSocketsBefore(term: number): void {
    for (const entry of this.#entries()) {
      if (entry.kind === 'sock' && entry.term < term) remove(join(this.#folder, `${entry.term}.sock`));
    }
  }

  /** A path to the folder that is short enough for the names of its sockets. */
  #findReach(): string {
    if (Buffer.byteLength(this.#socketPath(this.#folder, 999_999)) <= LONGEST_SOCKET_PATH)
      return this.#folder;
    if (process.platform !== 'linux') throw new SocketPathError();
    mkdirSync(this.#folder, { recursive: true });
    // Open as long as the process lives: the short name leads through it.
    return `/proc/self/fd/${openSync(this.#folder, 'r')}`;
  }

  #socketPath(folder: string, term: number): string {
    return join(folder, `${term}.sock`);
  }

  async #isLed(term: number, deadUpTo: number): Promise<boolean> {
    const socket = term > deadUpTo ? await this.#connect(term) : undefined;
    socket?.destroy();
    return socket !== undefined;
  }

  async #connectLater(term: number): Promise<Socket | undefined> {
    await delay(SECOND_LOOK_MS);
    return await this.#connect(term);
  }

  async #connect(term: number): Promise<Socket | undefined> {
    return await new Promise(resolve => {
      const socket = connect(this.#socketPath(this.#reach ?? this.#folder, term));
      socket.once('connect', () => {
        socket.removeAllListeners('error');
        resolve(socket);
      });
      socket.once('error', () => resolve(undefined));
    });
  }

  /** undefined: another process has this term. */
  async #listen(term: number): Promise<Server | undefined> {
    return await new Promise((resolve, reject) => {
      // Until it is certain who leads, every connection is ended at once: whoever tried it looks again.
      const server = createServer().on('connection', endConnection);
      server.once('error', error => {
        if (hasCode<SystemCode>(error, 'EADDRINUSE')) resolve(undefined);
        else reject(error);
      });
      server.listen(this.#socketPath(this.#reach ?? this.#folder, term), () => resolve(server));
    });
  }
}

class SocketPathError extends Error {
  readonly code = 'SOCKET_PATH_TOO_LONG';
}

/** Tells one start of the machine from another: the host's clock counts from it. */
export function readBoot(): string {
  const { boot } = thisProcess();
  if (boot !== '') return boot;
  // The time of the start, to ten minutes: corrections of the date are of seconds, and no machine is
  // started, used and started again within that time.
  return `about ${Math.round((hostClock.wallMs() - hostClock.monotonicMs()) / 600_000)}`;
}

function endConnection(socket: Socket): void {
  socket.destroy();
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already, or not ours to remove; the term tells that it is old.
  }
}
