// What has changed, as the server says it. Whoever shows something of a topic asks again; after a lost
// connection everybody does.
import { signal } from '@preact/signals';
import type { Changed, Topic } from '../../contract/session';
import { href } from './router';

export interface Connection {
  /** `lost`: for so long that people are told. */
  readonly state: 'live' | 'connecting' | 'lost';
  readonly since: Date;
}

export const connection = signal<Connection>({ state: 'connecting', since: new Date() });

/** The server has another page than this one by now. */
export const hasNewer = signal(false);
let firstVersion: string | undefined;

const LOST_AFTER_MS = 3_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

const listeners = new Set<(topics: readonly Topic[] | undefined) => void>();

/** `listener` gets undefined when anything may have changed. */
export function onChanged(listener: (topics: readonly Topic[] | undefined) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let source: EventSource | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
let waitMs = FIRST_WAIT_MS;
let lastHeardAt = new Date();

/** Connects, and again whenever the connection is lost. */
export function startLive(): void {
  clearTimeout(retry);
  source?.close();
  const opened = new EventSource(href('/api/live'));
  source = opened;
  const heard = () => {
    lastHeardAt = new Date();
  };
  opened.addEventListener('open', () => {
    const wasHere = connection.value.state === 'live';
    waitMs = FIRST_WAIT_MS;
    heard();
    connection.value = { state: 'live', since: new Date() };
    if (!wasHere) for (const listener of listeners) listener(undefined);
  });
  opened.addEventListener('hello', event => {
    const { version } = JSON.parse(String(event.data)) as { readonly version: string };
    if (firstVersion === undefined) firstVersion = version;
    else hasNewer.value = version !== firstVersion;
  });
  opened.addEventListener('changed', event => {
    heard();
    const { topics } = JSON.parse(String(event.data)) as Changed;
    for (const listener of listeners) listener(topics);
  });
  opened.addEventListener('error', lost);
}

function lost(): void {
  clearTimeout(retry);
  source?.close();
  const since = connection.value.state === 'live' ? lastHeardAt : connection.value.since;
  const isLong = Date.now() - since.getTime() > LOST_AFTER_MS;
  connection.value = { state: isLong || connection.value.state === 'lost' ? 'lost' : 'connecting', since };
  retry = setTimeout(startLive, waitMs);
  waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
}
