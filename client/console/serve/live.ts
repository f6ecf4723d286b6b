// Tells every open page what may have changed. Looks for changes only while a page is open, once for all.
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { IncidentLog } from '../../../activities/host/incident-log';
import type { Logger } from '../../../workers/logging';
import type { Changed, Hello, Topic } from '../contract/session';
import { texts } from '../texts/texts';
import type { Visitors } from './access';
import { ConsoleProblem, type Person } from './module';

const LOOK_EVERY_MS = 1_000;
const BEAT_EVERY_MS = 15_000;
/** A look that hangs with its mount holds up the end no longer than that. */
const END_WITHIN_MS = 3_000;
const MOST_WATCHERS = 500;
/** A page that has left so much unread has gone, or sleeps: it is cut off, and asks anew when it is back. */
const MOST_UNTAKEN_BYTES = 256 * 1024;

type Look = () => Promise<readonly Topic[]>;

export interface LiveInput {
  readonly access: Visitors;
  readonly looks: readonly Look[];
  /** Called before anybody is told. */
  readonly listeners?: readonly ((topics: readonly Topic[]) => void)[];
  readonly logger: Pick<Logger, 'warn'>;
  /** Of the program: a page of another version says that there is a newer one. */
  readonly version: string;
  readonly now: () => Date;
  readonly liveEveryMs?: { readonly look: number; readonly beat: number } | undefined;
}

interface Watcher {
  /** As they were known at the last sign of life: what somebody may see can change meanwhile. */
  person: Person;
  readonly raw: ServerResponse;
}

export class Live {
  readonly #input: LiveInput;
  readonly #watchers = new Set<Watcher>();
  readonly #pending = new Set<Topic>();
  /** Looks that are under way: one that hangs holds up no other. */
  readonly #underWay = new Map<Look, Promise<void>>();
  readonly #failing = new IncidentLog<Look>();
  #looking: NodeJS.Timeout | undefined;
  #flush: NodeJS.Immediate | undefined;

  constructor(input: LiveInput) {
    this.#input = input;
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  /** Tells the modules of the server, and the pages of those who may see it. */
  changed(topics: readonly Topic[]): void {
    if (topics.length > 0) for (const listener of this.#input.listeners ?? []) listener(topics);
    if (this.#watchers.size === 0) return;
    for (const topic of topics) this.#pending.add(topic);
    // What comes together goes out together.
    if (this.#pending.size > 0) this.#flush ??= setImmediate(() => this.#tell());
  }

  extend(server: FastifyInstance): void {
    server.get('/api/live', (request, reply) => {
      const visitor = this.#input.access.visitorOf(request);
      if (visitor === undefined) throw new ConsoleProblem(401, texts.access.signInFirst);
      if (this.#watchers.size >= MOST_WATCHERS) throw new ConsoleProblem(503, texts.asked.tooManyLook);
      reply.hijack();
      const { raw } = reply;
      raw.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream; charset=utf-8',
        // A proxy between must hand on each event at once.
        'x-accel-buffering': 'no',
      });
      this.#add(request, { person: visitor.person, raw });
    });
  }

  /** Resolves when nothing looks any more: what is asked of Temporal is over before its connection closes. */
  async close(): Promise<void> {
    clearInterval(this.#looking);
    clearImmediate(this.#flush);
    for (const { raw } of this.#watchers) raw.end();
    const late = new AbortController();
    const patience = delay(END_WITHIN_MS, undefined, { signal: late.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#underWay.values()), patience]);
    late.abort();
  }

  #add(request: FastifyRequest, watcher: Watcher): void {
    const { liveEveryMs, version } = this.#input;
    const { raw } = watcher;
    this.#watchers.add(watcher);
    const beatMs = liveEveryMs?.beat ?? BEAT_EVERY_MS;
    const hello: Hello = { version, beatMs };
    raw.write(`retry: 2000\nevent: hello\ndata: ${JSON.stringify(hello)}\n\n`);
    const beat = setInterval(() => {
      const visitor = this.#input.access.visitorOf(request);
      // Signed out meanwhile, or a proxy no longer names them.
      if (visitor === undefined) return void raw.end();
      watcher.person = visitor.person;
      send(watcher, 'event: here\ndata: {}\n\n');
    }, beatMs);
    // The end of this answer, not of its connection, which may serve the next request.
    raw.once('close', () => {
      clearInterval(beat);
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.#rest();
    });
    this.#looking ??= setInterval(() => this.#lookAtAll(), liveEveryMs?.look ?? LOOK_EVERY_MS);
  }

  #rest(): void {
    clearInterval(this.#looking);
    this.#looking = undefined;
    this.#pending.clear();
  }

  #lookAtAll(): void {
    for (const look of this.#input.looks) {
      if (this.#underWay.has(look)) continue;
      this.#underWay.set(
        look,
        this.#look(look).finally(() => this.#underWay.delete(look)),
      );
    }
  }

  async #look(look: Look): Promise<void> {
    try {
      this.changed(await look());
      this.#failing.ends(look);
    } catch (error) {
      // Once for each kind of trouble: it is looked every second.
      const why = error instanceof Error ? error.message : String(error);
      if (this.#failing.begins(look, why))
        this.#input.logger.warn({ event: 'console-look-failed', error }, 'The page cannot look for changes');
    }
  }

  #tell(): void {
    this.#flush = undefined;
    const topics = [...this.#pending];
    this.#pending.clear();
    const at = this.#input.now().toISOString();
    for (const watcher of this.#watchers) {
      const theirs = topics.filter(topic => maySee(watcher.person, topic));
      if (theirs.length === 0) continue;
      const changed: Changed = { topics: theirs, at };
      send(watcher, `event: changed\ndata: ${JSON.stringify(changed)}\n\n`);
    }
  }
}

function send({ raw }: Watcher, text: string): void {
  if (raw.writableEnded || raw.destroyed) return;
  if (raw.writableLength > MOST_UNTAKEN_BYTES) raw.destroy();
  else raw.write(text);
}

/** The name of a job is for those who see its share. */
function maySee(person: Person, topic: Topic): boolean {
  const [, share] = /^job:([^/]*)/.exec(topic) ?? [];
  return share === undefined || person.may('see', share);
}
