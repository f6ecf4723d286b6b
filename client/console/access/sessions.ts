// Who is signed in. Ids are random and known to the browser alone; their hashes are kept in the state folder,
// so that a restart signs nobody out.
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { readPrivateFile, replacePrivateFile } from '../../../activities/service/private-file';
import { cookieOf, readCookie, toCookie } from './cookies';
import type { Known } from './grants';

const FILE = 'console-sessions.json';
const MOST_SESSIONS = 500;
/** A private file may hold 256,000 bytes. */
const MOST_BYTES = 200_000;
const KEEP_EVERY_MS = 60_000;

const sessionShape = z.object({
  key: z.string(),
  id: z.string(),
  name: z.string(),
  groups: z.array(z.string()),
  /** Stands for the password: with another one the session is over. */
  stamp: z.string(),
  begunMs: z.number(),
  seenMs: z.number(),
});
type Session = z.infer<typeof sessionShape>;

export interface SessionsInput {
  readonly stateDir: string;
  readonly idleMs: number;
  readonly longestMs: number;
  readonly prefix: string;
  readonly isSecure: boolean;
  /** Of this page: its cookie is named by it. */
  readonly key: Buffer;
  readonly now: () => Date;
}

export class Sessions {
  readonly #input: SessionsInput;
  readonly #path: string;
  readonly #cookieName: string;
  readonly #sessions: Map<string, Session>;
  #keeping: Promise<void> = Promise.resolve();
  #keptMs = 0;

  private constructor(input: SessionsInput, path: string, sessions: readonly Session[]) {
    this.#input = input;
    this.#path = path;
    this.#cookieName = cookieOf('session', input.key);
    this.#sessions = new Map(sessions.map(session => [session.key, session]));
  }

  static async open(input: SessionsInput): Promise<Sessions> {
    const path = join(input.stateDir, FILE);
    const text = await readPrivateFile(path, 'the file of who is signed in');
    const parsed = z.array(sessionShape).safeParse(parseJson(text ?? '[]'));
    // Damaged: they sign in again.
    return new Sessions(input, path, parsed.success ? parsed.data : []);
  }

  /**
   * Undefined when nobody is signed in, or the session is over. Each request is a sign of life, and so
   * is each beat of a page that listens.
   */
  find(request: FastifyRequest): Readonly<Session> | undefined {
    const id = readCookie(request.headers.cookie, this.#cookieName);
    const session = id === undefined ? undefined : this.#sessions.get(hash(id));
    if (session === undefined) return undefined;
    const nowMs = this.#input.now().getTime();
    if (this.#isOver(session, nowMs)) {
      this.#sessions.delete(session.key);
      return undefined;
    }
    session.seenMs = nowMs;
    if (nowMs - this.#keptMs >= KEEP_EVERY_MS) void this.#keep();
    return session;
  }

  async begin(
    request: FastifyRequest,
    reply: FastifyReply,
    known: Known,
    stamp = '',
  ): Promise<Readonly<Session>> {
    const before = readCookie(request.headers.cookie, this.#cookieName);
    if (before !== undefined) this.#sessions.delete(hash(before));
    const id = randomBytes(32).toString('base64url');
    const nowMs = this.#input.now().getTime();
    const { id: person, name, groups } = known;
    const session: Session = {
      key: hash(id),
      id: person.slice(0, 200),
      name: name.slice(0, 100),
      groups: [...groups],
      stamp,
      begunMs: nowMs,
      seenMs: nowMs,
    };
    this.#sessions.set(session.key, session);
    this.#makeRoom(nowMs);
    await this.#keep();
    void reply.header('set-cookie', this.#cookie(id, Math.floor(this.#input.longestMs / 1_000)));
    return session;
  }

  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const id = readCookie(request.headers.cookie, this.#cookieName);
    if (id !== undefined && this.#sessions.delete(hash(id))) await this.#keep();
    void reply.header('set-cookie', this.#cookie('', 0));
  }

  async close(): Promise<void> {
    await this.#keep();
  }

  #cookie(value: string, forSeconds: number): string {
    const { prefix, isSecure } = this.#input;
    return toCookie(this.#cookieName, value, {
      path: `${prefix}/`,
      isSecure,
      sameSite: 'Strict',
      forSeconds,
    });
  }

  #isOver({ begunMs, seenMs }: Session, nowMs: number): boolean {
    const { idleMs, longestMs } = this.#input;
    return nowMs - seenMs > idleMs || nowMs - begunMs > longestMs;
  }

  #makeRoom(nowMs: number): void {
    for (const session of this.#sessions.values())
      if (this.#isOver(session, nowMs)) this.#sessions.delete(session.key);
    const oldest = [...this.#sessions.values()].sort((left, right) => left.seenMs - right.seenMs);
    for (const { key } of oldest.slice(0, Math.max(0, oldest.length - MOST_SESSIONS)))
      this.#sessions.delete(key);
  }

  /** A file that is too large could not be read again, and nothing would start. */
  #toText(): string {
    let left = MOST_BYTES;
    const newest = [...this.#sessions.values()].sort((one, other) => other.seenMs - one.seenMs);
    const fit = newest.filter(session => {
      left -= Buffer.byteLength(JSON.stringify(session)) + 1;
      return left > 0;
    });
    return JSON.stringify(fit);
  }

  /** Writes one after the other. That sessions cannot be kept is no reason to refuse anybody. */
  #keep(): Promise<void> {
    this.#keptMs = this.#input.now().getTime();
    this.#keeping = this.#keeping
      .then(() => replacePrivateFile(this.#path, this.#toText()))
      .catch(() => undefined);
    return this.#keeping;
  }
}

function hash(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
