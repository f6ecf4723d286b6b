// Answers of the service with anything wrong, of every endpoint, over real HTTP through the real client:
// data, or an error of a known kind that is repeated or not as its class asks. Nothing hangs, nothing is
// quoted that is secret, and what travels into a history stays small.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApplicationFailure } from '@temporalio/common';
import { toActivityFailure } from '../../activities/scope/failure';
import { fetchAll } from '../../activities/service/pages';
import { HeaderRateGate, type Permit, type RateGate } from '../../activities/service/rate/rate-gate';
import { Secret } from '../../activities/service/secret';
import { ServiceClient } from '../../activities/service/service-client';
import { completeServiceConfig } from '../../activities/service/service-config';
import { FAILURE_HANDLING, type FailureType } from '../../workflows/run/failure-contract';
import { describeThrown, type KindResult, type KindRun, Tally } from './bad-input-kind';
import { Dice, toText } from './bad-input-mutate';
import { type AnyEndpoint, ENDPOINTS, sampleOf } from './bad-input-samples';
import {
  SECRET,
  SIGNATURE,
  type Spoiled,
  spoilAnswer,
  spoilPaging,
  TOKEN,
} from './bad-input-spoiled-answers';

const AT_ONCE = 8;
/** The whole exchange; an answer that comes slower is cut. */
const TOTAL_MS = 2_000;
/** Other exchanges and a garbage collection in between are no hang. */
const LATE_MS = 4 * TOTAL_MS;
/**
 * A machine that stands still makes all of them late at once: what is late is sent again, what hangs is not.
 */
const HANG_MS = 20 * TOTAL_MS;
/** So often is an answer sent that the client refuses for its size, if it was cut for its time before. */
const MOST_LOOKS = 4;
/** What the client takes of an answer by default, in bytes. */
const MOST_ANSWER = 5_000_000;
/** Far below what Temporal takes as one payload (2 MB), and below what it warns of (256 KB). */
const MOST_FAILURE = 150_000;

/** How an exchange ended. */
type End = { readonly tookMs: number } & (
  | { readonly isRefused: false }
  | { readonly isRefused: true; readonly error: unknown }
);

/** Spoiled answers of every endpoint, through the real client. */
export async function tryAnswers(run: KindRun): Promise<KindResult> {
  const dice = new Dice(run.seed);
  const tally = new Tally('answers');
  const script = new Map<string, Spoiled>();
  const server = await listen(script);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createClient(url);
  // One each: a pause that one answer asks for holds back what another is about to send.
  const clients = Array.from({ length: AT_ONCE }, () => createClient(url));
  let turn = 0;
  await tryGood(tally, client, script, dice);
  const work = async (own: ServiceClient, index: number): Promise<void> => {
    for (; turn < run.cases; ) {
      const endpoint = dice.pick(ENDPOINTS);
      const spoiled = spoilAnswer(dice, endpoint, turn);
      const key = `/${index}`;
      script.set(key, spoiled);
      const where = `${endpoint.name} ${spoiled.status} seed ${run.seed} turn ${turn}`;
      turn += 1;
      await tryOne(tally, own, { ...endpoint, path: key }, spoiled, where);
    }
  };
  try {
    await Promise.all(clients.map(work));
    await tryPages(tally, client, script, dice, Math.ceil(run.cases / 100));
  } finally {
    for (const one of [client, ...clients]) await one.close();
    server.closeAllConnections();
    server.close();
  }
  return tally.result();
}

/** What is spoiled below was right before: otherwise nothing of it would be read as far as it is wrong. */
async function tryGood(
  tally: Tally,
  client: ServiceClient,
  script: Map<string, Spoiled>,
  dice: Dice,
): Promise<void> {
  for (const endpoint of ENDPOINTS) {
    const body = Buffer.from(toText(sampleOf(endpoint, dice)));
    const status = endpoint.success[0] ?? 200;
    script.set('/good', { status, headers: { 'content-type': 'application/json' }, body });
    await client.send({ ...endpoint, path: '/good' }, { params: {}, companyId: '5001' }).then(
      () => tally.ended('read'),
      (error: unknown) => tally.violate('a good answer is read', endpoint.name, describeThrown(error)),
    );
  }
}

async function tryOne(
  tally: Tally,
  client: ServiceClient,
  endpoint: AnyEndpoint,
  spoiled: Spoiled,
  where: string,
): Promise<void> {
  const send = () => client.send(endpoint, { params: {}, companyId: '5001' });
  let end = await timed(send);
  // So large an answer is cut for its time, not for its size, where the machine is too busy to read it.
  const isCut = () => isTooLarge(spoiled) && end.tookMs > TOTAL_MS && end.tookMs <= HANG_MS;
  for (let look = 1; look < MOST_LOOKS && isCut(); look++) end = await timed(send);
  if (end.isRefused) {
    judgeFailure(tally, endpoint, spoiled, toActivityFailure(end.error), where, end.error);
  } else {
    tally.ended('read');
    if (!endpoint.success.includes(spoiled.status))
      tally.violate('an unknown answer is no success', where, String(spoiled.status));
  }
  let { tookMs } = end;
  if (tookMs > LATE_MS && tookMs <= HANG_MS) ({ tookMs } = await timed(send));
  if (tookMs > LATE_MS) tally.violate('no hang', where, `${Math.round(tookMs)} ms`);
}

async function timed(work: () => Promise<unknown>): Promise<End> {
  const began = performance.now();
  const end = await work().then(
    () => ({ isRefused: false }) as const,
    (error: unknown) => ({ isRefused: true, error }) as const,
  );
  return { ...end, tookMs: performance.now() - began };
}

function judgeFailure(
  tally: Tally,
  endpoint: AnyEndpoint,
  spoiled: Spoiled,
  failure: unknown,
  where: string,
  error: unknown,
): void {
  const type = toFailureType(failure);
  if (!(failure instanceof ApplicationFailure) || type === undefined || type === 'BUG') {
    tally.ended('BUG');
    tally.violate('a typed error', where, describeThrown(error));
    return;
  }
  tally.ended(type);
  const allowed = allowedTypes(endpoint, spoiled);
  if (!allowed.includes(type))
    tally.violate(
      'repeated or not as it should be',
      where,
      `${type} instead of ${allowed.join(' or ')}: ${failure.message}`,
    );
  const isRetried = ['SERVICE_UNAVAILABLE', 'RATE_LIMITED'].includes(type);
  if (failure.nonRetryable === isRetried)
    tally.violate('repeated or not as it should be', where, `${type} nonRetryable ${failure.nonRetryable}`);
  const travels = `${failure.message}${JSON.stringify(failure.details)}`;
  if (travels.length > MOST_FAILURE)
    tally.violate('22 small payloads', where, `${travels.length} characters`);
  // Half of one is too much of it.
  for (const canary of [TOKEN, SECRET, SIGNATURE].map(text => text.slice(0, 18))) {
    if (travels.includes(canary))
      tally.violate(
        '19 no secret',
        where,
        travels.slice(Math.max(0, travels.indexOf(canary) - 150)).slice(0, 300),
      );
  }
  const delayMs =
    failure.nextRetryDelay === undefined || failure.nextRetryDelay === null
      ? 0
      : Number(failure.nextRetryDelay);
  if (!(delayMs <= 3_700_000)) tally.violate('16 Retry-After is capped', where, `${delayMs} ms`);
}

/** What may come of a status. Which of several depends on whether the body is the service's own. */
function toFailureType(failure: unknown): FailureType | undefined {
  const type = failure instanceof ApplicationFailure ? (failure.type ?? '') : '';
  return Object.hasOwn(FAILURE_HANDLING, type) ? (type as FailureType) : undefined;
}

function allowedTypes(endpoint: AnyEndpoint, spoiled: Spoiled): readonly FailureType[] {
  const { status } = spoiled;
  // The same request would be answered as largely the next time; of a write nobody knows what became of it.
  if (isTooLarge(spoiled) && endpoint.repeatable === 'yes')
    return isCutShort(spoiled) ? ['MISCONFIGURED', 'SERVICE_UNAVAILABLE'] : ['MISCONFIGURED'];
  if (endpoint.success.includes(status) || status < 400) return ['SERVICE_UNAVAILABLE'];
  if (status === 401) return ['TOKEN_REJECTED', 'SERVICE_UNAVAILABLE'];
  if (status === 403) return ['ACCESS_DENIED', 'SERVICE_UNAVAILABLE'];
  if (status === 429) return ['RATE_LIMITED', 'SERVICE_UNAVAILABLE'];
  if (status === 408 || status >= 500) return ['SERVICE_UNAVAILABLE'];
  return ['REQUEST_REFUSED', 'ACCESS_DENIED', 'SERVICE_UNAVAILABLE'];
}

/** A success of the service itself of which more is sent than the client takes. A 204 has no body (HTTP). */
function isTooLarge({ status, headers, body, cutAt = body.length }: Spoiled): boolean {
  const isJson = headers['content-type']?.includes('json') === true;
  const hasBody = status >= 200 && status < 300 && status !== 204;
  return hasBody && isJson && Math.min(cutAt, body.length) > MOST_ANSWER;
}

/** Whether the client sees that it is too large, or the connection's end, depends on what comes first. */
function isCutShort({ body, cutAt = body.length }: Spoiled): boolean {
  return cutAt < body.length;
}

/** Lists whose paging leads astray: they end, and nothing else is asked for. */
async function tryPages(
  tally: Tally,
  client: ServiceClient,
  script: Map<string, Spoiled>,
  dice: Dice,
  cases: number,
): Promise<void> {
  const lists = ENDPOINTS.filter(({ method, name }) => method === 'GET' && name.endsWith('.list'));
  for (let turn = 0; turn < cases; turn++) {
    const endpoint = dice.pick(lists);
    const body = Buffer.from(toText(sampleOf(endpoint, dice)));
    script.set('/pages', {
      status: 200,
      headers: { 'content-type': 'application/json', ...spoilPaging(dice) },
      body,
    });
    const asList = { ...endpoint, path: '/pages' } as unknown as Parameters<
      typeof fetchAll<Record<string, string>, object, unknown>
    >[1];
    try {
      await fetchAll(client, asList, { params: {}, companyId: '5001' }, { maxPages: 20 });
      tally.ended('read');
    } catch (error) {
      const failure = toActivityFailure(error);
      if (failure instanceof ApplicationFailure && failure.type !== 'BUG') tally.ended(String(failure.type));
      else tally.violate('a typed error', `pages turn ${turn} ${endpoint.name}`, describeThrown(error));
    }
  }
}

function createClient(url: string): ServiceClient {
  let generation = 1;
  const token = () => ({ accessToken: new Secret(TOKEN), generation });
  return new ServiceClient({
    config: completeServiceConfig({
      baseUrl: url,
      authUrl: url,
      clientId: 'client-1',
      clientSecret: new Secret(SECRET),
      allowInsecureLoopback: true,
      timeouts: { headersMs: TOTAL_MS, bodyMs: TOTAL_MS, totalMs: TOTAL_MS },
    }),
    tokens: {
      current: async () => token(),
      atHand: token,
      refuse: () => undefined,
      isRefused: () => false,
      refresh: async () => {
        generation += 1;
        return token();
      },
    },
    gate: createGates(),
  });
}

/**
 * A real gate for each request: its headers are read, and nothing that one answer
 * says holds back the next case.
 */
function createGates(): RateGate {
  const gates = new WeakMap<Permit, RateGate>();
  return {
    acquire: async input => {
      const gate = new HeaderRateGate();
      const permit = await gate.acquire(input);
      gates.set(permit, gate);
      return permit;
    },
    observe: (permit, headers, status) => gates.get(permit)?.observe(permit, headers, status),
    release: permit => gates.get(permit)?.release(permit),
  };
}

async function listen(script: ReadonlyMap<string, Spoiled>): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    const spoiled = script.get((request.url ?? '').split('?')[0] ?? '');
    if (spoiled === undefined) {
      response.writeHead(500).end();
      return;
    }
    const { status, headers, body, cutAt } = spoiled;
    try {
      response.writeHead(
        status,
        cutAt === undefined ? headers : { ...headers, 'content-length': String(body.length) },
      );
    } catch {
      response.writeHead(500).end();
      return;
    }
    if (cutAt === undefined) {
      response.end(body);
      return;
    }
    response.write(body.subarray(0, cutAt), () => request.socket.destroy());
  });
  server.on('clientError', (_, socket) => socket.destroy());
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return server;
}
