// What has changed, as the server says it. Whoever shows something of a topic asks again; after a lost
// connection everybody does.
import { signal } from '@preact/signals';
import type { Changed, Hello, Topic } from '../../contract/session';
import { href } from './router';

export interface Connection {
  /** `lost`: for so long that people are told. */
  readonly state: 'live' | 'connecting' | 'lost';
  /** When it became live; while it is not, when the server was last heard. */
  readonly since: Date;
}

export const connection = signal<Connection>({ state: 'connecting', since: new Date() });

/** The server has another page than this one by now. */
export const hasNewer = signal(false);
let firstVersion: string | undefined;

const LOST_AFTER_MS = 3_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
/** Until a connection stands; after that the server says how often it is heard. */
const OPEN_WITHIN_MS = 10_000;
/** How many of the server's signs of life may be missed before the connection counts as lost. */
const MISSED = 2.5;

const listeners = new Set<(topics: readonly Topic[] | undefined) => void>();

/** `listener` gets undefined when anything may have changed. */
export function onChanged(listener: (topics: readonly Topic[] | undefined) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Something may have been done of which nobody was told: all that is shown is asked for again. */
export function askAnew(): void {
  for (const listener of listeners) listener(undefined);
}

let source: EventSource | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
let silence: ReturnType<typeof setTimeout> | undefined;
let waitMs = FIRST_WAIT_MS;
let silentMs = OPEN_WITHIN_MS;
let heardAt = new Date();
/** When the connection broke; undefined while it stands. */
let brokeMs: number | undefined = Date.now();

/**
 * Times the silence from now on: a connection may be dead without anybody saying so, after the computer slept
 * or behind a proxy.
 */
function heard(): void {
  heardAt = new Date();
  clearTimeout(silence);
  silence = setTimeout(lost, silentMs);
}

/** Connects, and again whenever the connection is lost. */
export function startLive(): void {
  clearTimeout(retry);
  clearTimeout(silence);
  source?.close();
  const opened = new EventSource(href('/api/live'));
  source = opened;
  silence = setTimeout(lost, OPEN_WITHIN_MS);
  opened.addEventListener('open', () => {
    waitMs = FIRST_WAIT_MS;
    brokeMs = undefined;
    heard();
    connection.value = { state: 'live', since: new Date() };
    // Nobody was told what changed between two connections.
    askAnew();
  });
  opened.addEventListener('hello', event => {
    const { version, beatMs } = JSON.parse(String(event.data)) as Hello;
    silentMs = MISSED * beatMs;
    heard();
    if (firstVersion === undefined) firstVersion = version;
    else hasNewer.value = version !== firstVersion;
  });
  opened.addEventListener('here', heard);
  opened.addEventListener('changed', event => {
    heard();
    const { topics } = JSON.parse(String(event.data)) as Changed;
    for (const listener of listeners) listener(topics);
  });
  opened.addEventListener('error', lost);
}

/**
 * After somebody has signed in. That whoever is signed out is refused a connection says nothing of the one
 * that begins now: nobody is told that it is lost, and what they do is sent.
 */
export function startLiveSignedIn(): void {
  brokeMs = Date.now();
  waitMs = FIRST_WAIT_MS;
  connection.value = { state: 'connecting', since: new Date() };
  startLive();
}

function lost(): void {
  clearTimeout(retry);
  clearTimeout(silence);
  source?.close();
  brokeMs ??= Date.now();
  const isLong = Date.now() - brokeMs > LOST_AFTER_MS;
  connection.value = { state: isLong ? 'lost' : 'connecting', since: heardAt };
  retry = setTimeout(startLive, waitMs);
  waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
}
