/**
 * The way of a request through the API or the authentication origin: rate limit, token, company header, body,
 * ordered faults, the route's own rules, the answer. From the check of the body to the effect nothing is
 * awaited but ordered delays, so requests never see each other half done.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { COMPANY_HEADER } from '../defaults';
import type { FaultPlace } from '../faults/fault-book';
import { spentAnswer, spoil, takesEffect } from '../faults/spoil';
import { findCredential, isValid } from '../rules/tokens';
import type { World } from '../world';
import { type Answer, errorAnswer, Refusal, refusal } from './answer';
import { parseForm, parseJson, parseJsonOrFiles, readBody } from './body';
import type { Admission } from './rate-limits';
import { type Fate, respond, statusOf } from './respond';
import { type Caller, findRoute, type Route, type RouteRequest } from './route';

type OriginName = 'api' | 'auth';

const NOBODY: Caller = { userId: 0, loginId: '', credentialId: '' };

/** Serves one origin with the routes that belong to it. */
export function gateway(
  world: World,
  origin: OriginName,
  routes: readonly Route[],
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    serve(world, origin, routes, request, response).catch((error: unknown) => {
      // Only a mistake in the stand-in itself ends here.
      console.error('stand-in service:', error);
      response.destroy();
    });
  };
}

async function serve(
  world: World,
  origin: OriginName,
  routes: readonly Route[],
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const number = world.log.nextRequest();
  const target = message.url ?? '/';
  const url = new URL(target, 'http://origin.invalid');
  const found = findRoute(routes, origin, message.method ?? '', url.pathname);
  const route = found?.route.key ?? `${origin}.unknown`;
  noticeImpatience(world, origin, route, number);
  const counts = origin === 'api' || world.settings.authCountsAgainstLimit;
  const admission = counts ? world.rateLimits.admit(world.settings, world.now()) : null;

  let fate: Fate;
  let faultId: string | null = null;
  let items: FaultPlace['items'] = [];
  try {
    const bytes = await readBody(message, found?.route.body === 'json-or-files');
    if (admission?.allowed === false) {
      fate = answered(spentAnswer(admission.headers, admission.spentUntil ?? world.now(), world.now()));
    } else {
      const request: RouteRequest = {
        number,
        route,
        params: found?.params ?? {},
        query: url.searchParams,
        headers: message.headers,
        body: undefined,
        target,
        caller: NOBODY,
      };
      ({ fate, faultId, items } = await proceed(world, origin, found?.route ?? null, request, bytes));
    }
  } catch (error) {
    fate = error instanceof Refusal ? answered(error.answer) : { kind: 'dropped' };
    if (!(error instanceof Refusal) && message.complete) throw error;
  }
  world.flush();
  const fault = faultId === null ? {} : { fault: faultId };
  const uploads = items.flatMap(({ uploadId }) => uploadId ?? []);
  world.log.record({
    kind: 'request',
    route,
    request: number,
    status: statusOf(fate, response),
    ...fault,
    ...(uploads.length === 0 ? {} : { detail: { uploads } }),
  });
  // What nobody is there to hear any more binds nobody.
  if (statusOf(fate, response) !== null) announcePauses(world, origin, route, fate, admission);
  respond(response, fate, { ...admission?.headers, 'X-Request-Id': `request-${number}` });
}

async function proceed(
  world: World,
  origin: OriginName,
  route: Route | null,
  request: RouteRequest,
  bytes: Buffer,
): Promise<{ fate: Fate; faultId: string | null; items: FaultPlace['items'] }> {
  if (route === null) {
    const detail = { origin };
    world.log.violation('unknown-route', request.route, request.number, detail);
    throw refusal(404, 'NOT_FOUND', 'There is no such path');
  }
  const admitted: RouteRequest = { ...request, caller: authenticate(world, route, request) };
  requireCompany(world, route, request);
  admitted.body = parseBody(route, bytes, request);
  const place: FaultPlace = {
    route: route.key,
    origin,
    items: route.items?.(admitted, world) ?? [],
    headers: request.headers,
  };
  const { delays, strike } = world.faults.takeForRequest(place);
  const pause = async (when: 'before' | 'after'): Promise<void> => {
    for (const each of delays) if (each.action.when === when) await world.faults.waitOut(each);
  };
  await pause('before');
  const happens = strike === null || strike.action.kind === 'delay' || takesEffect(strike.action);
  const honest = happens ? handle(route, admitted, world) : null;
  world.flush();
  await pause('after');
  if (strike !== null && strike.action.kind !== 'delay') {
    return { fate: spoil(world, strike.action, honest), faultId: strike.faultId, items: place.items };
  }
  return {
    fate: honest === null ? { kind: 'dropped' } : answered(honest),
    faultId: delays[0]?.faultId ?? null,
    items: place.items,
  };
}

function handle(route: Route, request: RouteRequest, world: World): Answer {
  try {
    return route.handle(request, world);
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

function authenticate(world: World, route: Route, { headers }: RouteRequest): Caller {
  if (route.access === 'open') return NOBODY;
  const secret = /^Bearer (\S+)$/.exec(
    headers.authorization === undefined ? '' : String(headers.authorization),
  )?.[1];
  const credential = secret === undefined ? undefined : findCredential(world, secret);
  const login = credential === undefined ? undefined : world.logins.get(credential.loginId);
  if (login === undefined || !isValid(world, credential) || credential.kind !== 'access') {
    throw route.origin === 'auth'
      ? new Refusal({
          status: 401,
          json: { error: 'invalid_token', error_description: 'The token is not valid' },
        })
      : refusal(401, 'INVALID_TOKEN', 'The token is missing, invalid or expired');
  }
  return { userId: login.userId, loginId: login.id, credentialId: credential.id };
}

function requireCompany(world: World, route: Route, { headers, params, number }: RouteRequest): void {
  if (route.access !== 'company') return;
  const company = headers[COMPANY_HEADER.toLowerCase()];
  if (company === undefined || company === '') {
    world.log.violation('missing-company-header', route.key, number);
    const message = `the header ${COMPANY_HEADER} is required`;
    throw new Refusal(
      errorAnswer(400, [{ reason_code: 'INVALID_PROPERTY', message, field: COMPANY_HEADER }]),
    );
  }
  const known = [...world.projects.values()].some(({ companyId }) => companyId === company);
  if (!known || (params.company !== undefined && params.company !== company)) {
    throw refusal(403, 'ACCESS_DENIED', 'The company of the header is not the one that is asked for');
  }
}

function parseBody(route: Route, bytes: Buffer, { headers }: RouteRequest): unknown {
  const contentType = headers['content-type'] === undefined ? undefined : String(headers['content-type']);
  if (route.body === 'json') return parseJson(bytes, contentType);
  if (route.body === 'json-or-files') return parseJsonOrFiles(bytes, contentType);
  return route.body === 'form' ? parseForm(bytes, contentType) : undefined;
}

function noticeImpatience(world: World, origin: OriginName, route: string, number: number): void {
  const now = world.now();
  const limited = world.pauses.undercutBy(origin, now);
  if (limited !== undefined) world.log.violation('request-while-limited', route, number, { ...limited });
  const undercut = world.pauses.undercutBy(route, now);
  if (undercut !== undefined) world.log.violation('retry-after-undercut', route, number, { ...undercut });
}

/** A spent window and a 429 bind the whole account, any other Retry-After the route it was given at. */
function announcePauses(
  world: World,
  origin: OriginName,
  route: string,
  fate: Fate,
  admission: Admission | null,
): void {
  const now = world.now();
  if (admission?.spentUntil) {
    world.pauses.announce('api', admission.spentUntil, now);
    if (world.settings.authCountsAgainstLimit) world.pauses.announce('auth', admission.spentUntil, now);
  }
  if (fate.kind !== 'answered' || admission?.allowed === false) return;
  const { status, headers = {} } = fate.answer;
  const retryAfter = headers['Retry-After'];
  const until =
    retryAfter === undefined ? Number(headers['X-Rate-Limit-Reset'] ?? 0) * 1000 : endOf(retryAfter, now);
  if (status === 429) world.pauses.announce(origin, until, now);
  else if (retryAfter !== undefined) world.pauses.announce(route, until, now);
}

/** The number of seconds counts from when the answer is read, which is a little later than now. */
function endOf(retryAfter: string, now: number): number {
  return /^\d+$/.test(retryAfter) ? now + Number(retryAfter) * 1000 : Date.parse(retryAfter);
}

function answered(answer: Answer): Fate {
  return { kind: 'answered', answer };
}
