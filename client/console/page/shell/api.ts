// Asks the page's server. The shapes are those of the contract, as types alone.
import { signal } from '@preact/signals';
import type { AnswerOf, Given } from '../../contract/route';
import type { ConsoleRoutes } from '../../contract/routes';
import { fillPath, withQuery } from './address';
import { askAnew, connection } from './live';
import { href } from './router';
import { texts } from './texts';

export type Key = keyof ConsoleRoutes;
export type Answer<One extends Key> = AnswerOf<ConsoleRoutes[One]>;
export type Question<One extends Key> = Given<ConsoleRoutes[One]>;

/** What people are told instead of an answer. */
export class ApiProblem extends Error {
  /** Of HTTP; 0 when there was no answer. */
  readonly status: number;
  readonly faults: readonly { readonly at?: string | undefined; readonly text: string }[];
  readonly reference: string | undefined;
  /** Nobody knows whether it was done: the request may have arrived, and no answer came back. */
  readonly isUnknown: boolean;

  constructor(
    status: number,
    text: string,
    { faults = [], reference, isUnknown = false }: Partial<ApiProblem> = {},
  ) {
    super(text);
    this.name = 'ApiProblem';
    this.status = status;
    this.faults = faults;
    this.reference = reference;
    this.isUnknown = isUnknown;
  }
}

const ANSWER_WITHIN_MS = 60_000;

/** Set while nobody is signed in any more. */
export const isSignedOut = signal(false);

let csrf = '';

/** The token that `GET /api/me` gives: sent with every request that changes something. */
export function setCsrf(token: string): void {
  csrf = token;
}

/** The address of a question. It also tells questions apart: the same question has the same address. */
export function urlOf<One extends Key>(key: One, question: Question<One>): string {
  const path = key.slice(key.indexOf(' ') + 1);
  const filled = fillPath(path, (question.params ?? {}) as Record<string, string>);
  return withQuery(filled, (question.query ?? {}) as Record<string, string | undefined>);
}

/** @throws ApiProblem for everything but an answer. */
export async function ask<One extends Key>(
  key: One,
  question: Question<One> = {},
  signal?: AbortSignal,
): Promise<Answer<One>> {
  const method = key.slice(0, key.indexOf(' '));
  if (method !== 'GET') requireConnection();
  const body = question.body === undefined ? undefined : JSON.stringify(question.body);
  const headers: Record<string, string> = { accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (method !== 'GET') headers['x-drawbridge-csrf'] = csrf;
  const session = csrf;
  // A question that hangs would keep its view from asking again.
  const late = method === 'GET' ? [AbortSignal.timeout(ANSWER_WITHIN_MS)] : [];
  const response = await fetch(href(urlOf(key, question)), {
    method,
    headers,
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.any([...late, ...(signal === undefined ? [] : [signal])]),
  }).catch((error: unknown) => {
    throw signal?.aborted ? error : unanswered(0, method);
  });
  return checked(method, response, await response.json().catch(() => undefined), session) as Answer<One>;
}

/**
 * Keeps what the page tells people: nothing is sent until the connection is back. Whoever is signed out has
 * no connection, and must be able to sign in all the same.
 */
function requireConnection(): void {
  if (connection.value.state === 'lost' && !isSignedOut.value) throw new ApiProblem(0, texts.common.notSent);
}

/**
 * For a request without an answer. Where it was to change something, nobody knows whether that was done: this
 * is told, and all that is shown is asked for anew.
 */
function unanswered(status: number, method: string): ApiProblem {
  if (method === 'GET') return new ApiProblem(status, texts.common.noAnswer);
  askAnew();
  return new ApiProblem(status, texts.common.notKnownWhether, { isUnknown: true });
}

function checked(method: string, response: Response, answer: unknown, session: string): unknown {
  if (response.ok && answer !== undefined) return answer;
  // A late 401 to a request of the session before says nothing of the session that was begun since.
  if (response.status === 401 && session === csrf) isSignedOut.value = true;
  // A 2xx whose body broke off in the middle is no answer.
  throw toProblem(response.ok ? 0 : response.status, answer, method);
}

/** Posts the bytes of a file. @returns the answer's JSON. @throws ApiProblem for everything but an answer. */
export async function sendFile(path: string, file: Blob): Promise<unknown> {
  requireConnection();
  const session = csrf;
  const response = await fetch(href(path), {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', 'x-drawbridge-csrf': csrf },
    credentials: 'same-origin',
    body: file,
  }).catch(() => {
    throw unanswered(0, 'POST');
  });
  return checked('POST', response, await response.json().catch(() => undefined), session);
}

function toProblem(status: number, answer: unknown, method: string): ApiProblem {
  const { text, ...given } = (answer ?? {}) as Partial<{
    text: string;
    faults: { at?: string; text: string }[];
    reference: string;
  }>;
  if (text === undefined) return unanswered(status, method);
  if (status >= 500 && method !== 'GET') askAnew();
  return new ApiProblem(status, text, given);
}
