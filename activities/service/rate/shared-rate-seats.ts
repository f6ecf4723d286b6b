// Who keeps the rate limit of an account on this host: the process that listens on the newest numbered
// socket of a folder. Binding a socket is exclusive in the kernel, and its end shows there at once,
// however its process ended: so there is no lock that could stay behind. A seat whose keeper is gone is
// never taken again; the next number is.
import { mkdirSync, openSync, readdirSync, readFileSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../../host/error-code';
import { ensurePrivateFolder } from '../private-file';

export interface SeatsOptions {
  /** On a local disk, for this account alone; made with mode 0700 when missing. */
  readonly folder: string;
}

/** Where the calling process sits: it keeps, or it is connected to the process that does. */
export type Seat =
  | { readonly kind: 'keeper'; readonly number: number; readonly server: Server }
  | { readonly kind: 'guest'; readonly number: number; readonly socket: Socket };

/**
 * The system's limit for the path of a socket is 104 to 108 bytes; longer ones are cut short without a word.
 */
const LONGEST_SOCKET_PATH = 100;
/**
 * Between binding and listening a keeper looks dead; it takes microseconds, this long
 * on a machine that is very busy.
 */
const SECOND_LOOK_MS = 30;
const MOST_TRIES = 50;

/** The seats of one account. */
export class RateSeats {
  readonly #folder: string;
  #reach: string | undefined;

  constructor({ folder }: SeatsOptions) {
    this.#folder = folder;
  }

  /**
   * Finds the keeper or becomes it. Keepers up to number `deadUpTo` are taken for dead although they listen.
   * Throws what the system says when there can be no sockets in the folder.
   */
  async take(deadUpTo = 0): Promise<Seat> {
    await ensurePrivateFolder(this.#folder);
    this.#reach ??= this.#findReach();
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { newest, listening } = this.#look();
      if (listening === newest && listening > deadUpTo) {
        const socket = (await this.#connect(newest)) ?? (await this.#connectLater(newest));
        if (socket !== undefined) return { kind: 'guest', number: newest, socket };
      }
      const number = Math.max(newest, deadUpTo) + 1;
      const server = await this.#listen(number);
      if (server === undefined) continue;
      // Somebody was faster by more than one seat, or began to listen after we had looked.
      if (this.#look().newest === number && !(await this.#isKept(listening, deadUpTo))) {
        this.#clear(number);
        server.off('connection', turnAway);
        return { kind: 'keeper', number, server };
      }
      server.close();
    }
    throw new Error('no seat at the rate limit could be had');
  }

  /**
   * Whether the keeper of this seat still is the keeper: nobody has taken a newer one, nor the folder away.
   */
  isNewest(number: number): boolean {
    try {
      const { newest, listening } = this.#look();
      return newest === number && listening === number;
    } catch {
      return false;
    }
  }

  /** The state's file that belongs to a seat. */
  statePath(number: number): string {
    return join(this.#folder, `${number}.json`);
  }

  /** Path of the newest state that a keeper before this seat left. */
  statePathBefore(number: number): string | undefined {
    const before = this.#entries().filter(entry => entry.kind === 'json' && entry.number < number);
    const newest = before.reduce((most, entry) => Math.max(most, entry.number), 0);
    return newest === 0 ? undefined : this.statePath(newest);
  }

  /** Removes what seats before this one left; call it when nothing of it is needed any more. */
  removeBefore(number: number): void {
    for (const entry of this.#entries()) {
      if (entry.number < number) remove(join(this.#folder, `${entry.number}.${entry.kind}`));
    }
  }

  #look(): { readonly newest: number; readonly listening: number } {
    let newest = 0;
    let listening = 0;
    for (const { number, kind } of this.#entries()) {
      newest = Math.max(newest, number);
      if (kind === 'sock') listening = Math.max(listening, number);
    }
    return { newest, listening };
  }

  #entries(): { readonly number: number; readonly kind: 'sock' | 'json' }[] {
    return readdirSync(this.#folder).flatMap(name => {
      const found = /^(\d{1,12})\.(sock|json)$/.exec(name);
      if (found === null) return [];
      return [
        { number: Number(found[1]), kind: found[2] === 'sock' ? ('sock' as const) : ('json' as const) },
      ];
    });
  }

  #clear(number: number): void {
    for (const entry of this.#entries()) {
      if (entry.kind === 'sock' && entry.number < number) remove(join(this.#folder, `${entry.number}.sock`));
    }
  }

  /** A path by which sockets in the folder can be named. */
  #findReach(): string {
    if (Buffer.byteLength(this.#socketPath(this.#folder, 999_999)) <= LONGEST_SOCKET_PATH)
      return this.#folder;
    if (process.platform !== 'linux') throw new SocketPathError();
    mkdirSync(this.#folder, { recursive: true });
    // Open as long as the process lives: the short name leads through it.
    return `/proc/self/fd/${openSync(this.#folder, 'r')}`;
  }

  #socketPath(folder: string, number: number): string {
    return join(folder, `${number}.sock`);
  }

  async #isKept(number: number, deadUpTo: number): Promise<boolean> {
    const socket = number > deadUpTo ? await this.#connect(number) : undefined;
    socket?.destroy();
    return socket !== undefined;
  }

  async #connectLater(number: number): Promise<Socket | undefined> {
    await delay(SECOND_LOOK_MS);
    return await this.#connect(number);
  }

  async #connect(number: number): Promise<Socket | undefined> {
    return await new Promise(resolve => {
      const socket = connect(this.#socketPath(this.#reach ?? this.#folder, number));
      socket.once('connect', () => {
        socket.removeAllListeners('error');
        resolve(socket);
      });
      socket.once('error', () => resolve(undefined));
    });
  }

  /** undefined: another process has this seat. */
  async #listen(number: number): Promise<Server | undefined> {
    return await new Promise((resolve, reject) => {
      // Until it is certain who keeps, those who come are sent to look again.
      const server = createServer().on('connection', turnAway);
      server.once('error', error => {
        if (codeOf(error) === 'EADDRINUSE') resolve(undefined);
        else reject(error);
      });
      server.listen(this.#socketPath(this.#reach ?? this.#folder, number), () => resolve(server));
    });
  }
}

class SocketPathError extends Error {
  readonly code = 'SOCKET_PATH_TOO_LONG';
}

/** Tells one start of the machine from another: the host's clock counts from it. */
export function readBoot(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // To ten minutes: dates are set by seconds, machines are not started twice in
    // that time and used in between.
    return `about ${Math.round((Date.now() - process.hrtime()[0] * 1_000) / 600_000)}`;
  }
}

function turnAway(socket: Socket): void {
  socket.destroy();
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already, or not ours to remove; the number tells that it is old.
  }
}
