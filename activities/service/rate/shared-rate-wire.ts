// What processes of a host say to the leader of the rate limit, and what it replies: one JSON object a line.
import type { Socket } from 'node:net';
import { z } from 'zod';

const permit = z.strictObject({
  seq: z.int().positive(),
  weight: z.int().positive(),
  sentAtMs: z.number(),
});

const response = z.object({
  status: z.int(),
  limit: z.number().optional(),
  remaining: z.number().optional(),
  resetAtServerMs: z.number().optional(),
  retryAfterMs: z.number().optional(),
  dateMs: z.number().optional(),
});

const id = z.int().positive();

/** To the leader. Times are of the host's clock (clock.ts, hostClock). */
const toLeader = z.discriminatedUnion('kind', [
  /** First of all the permits taken whose requests are under way, given by the leader before. */
  z.strictObject({ kind: z.literal('hello'), held: z.array(permit) }),
  z.strictObject({ kind: z.literal('acquire'), id, weight: z.int().positive(), waitMs: z.number().min(0) }),
  z.strictObject({ kind: z.literal('cancel'), id }),
  /**
   * Of the response of the service; null: none came, but the request may have been counted. `answer` is what
   * builds before this one call it, which may run beside it on a host.
   */
  z.strictObject({ kind: z.literal('observe'), permit, answer: response.nullable(), atMs: z.number() }),
  z.strictObject({ kind: z.literal('release'), permit }),
  z.strictObject({ kind: z.literal('ping') }),
]);

/** From the leader; wall-clock times are Unix ms. */
const fromLeader = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('granted'), id, permit }),
  z.strictObject({ kind: z.literal('refused'), id, retryAtMs: z.number() }),
  z.strictObject({ kind: z.literal('waiting'), id, untilMs: z.number() }),
  /** An observation is in the leader's state. */
  z.strictObject({ kind: z.literal('noted'), seq: z.int().positive() }),
  z.strictObject({ kind: z.literal('pong') }),
]);

export type ToLeader = z.infer<typeof toLeader>;
export type FromLeader = z.infer<typeof fromLeader>;

/** The longest line is a hello with all permits of a process, some kilobytes. */
const MOST_BUFFERED = 1_000_000;

/** One end of a connection. What cannot be read ends it. */
export class LineChannel<Incoming, Outgoing> {
  readonly #socket: Socket;
  readonly #schema: z.ZodType<Incoming>;
  #buffered = '';

  private constructor(socket: Socket, schema: z.ZodType<Incoming>) {
    this.#socket = socket;
    this.#schema = schema;
    socket.setEncoding('utf8');
  }

  static atLeader(socket: Socket): LineChannel<ToLeader, FromLeader> {
    return new LineChannel<ToLeader, FromLeader>(socket, toLeader);
  }

  static toLeader(socket: Socket): LineChannel<FromLeader, ToLeader> {
    return new LineChannel<FromLeader, ToLeader>(socket, fromLeader);
  }

  send(message: Outgoing): void {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  /** `onEnd` is called once, whoever ended the connection and why. */
  listen(onMessage: (message: Incoming) => void, onEnd: () => void): void {
    this.#socket.on('data', (text: string) => this.#read(text, onMessage));
    // The close that follows says all there is to say.
    this.#socket.on('error', () => undefined);
    this.#socket.once('close', onEnd);
  }

  end(): void {
    this.#socket.destroy();
  }

  #read(text: string, onMessage: (message: Incoming) => void): void {
    const lines = (this.#buffered + text).split('\n');
    this.#buffered = lines.pop() ?? '';
    if (this.#buffered.length > MOST_BUFFERED) this.end();
    for (const line of lines) {
      if (this.#socket.destroyed) return;
      const message = this.#schema.safeParse(parseJson(line));
      if (message.success) onMessage(message.data);
      else this.end();
    }
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
