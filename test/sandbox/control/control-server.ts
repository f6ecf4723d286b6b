/** The control port: orders faults, changes settings, plays people, and tells what happened. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { faultSchema, whyImpossible } from '../faults/fault';
import type { Answer } from '../http/answer';
import { readBody } from '../http/body';
import type { Origin } from '../http/origin';
import { respond } from '../http/respond';
import { routeKeys } from '../routes';
import { createLogin, issueTokens, revokeLogin } from '../rules/tokens';
import { settingsSchema } from '../settings';
import { deliver, deliverySchema } from '../webhooks/deliver';
import type { World } from '../world';
import { applyEdit, ImpossibleEdit } from './project-edits';
import { outagesSchema, projectEditSchema } from './protocol';
import { viewFile, viewRevision, viewTokens, viewUpload } from './views';

interface Origins {
  api: Origin;
  auth: Origin;
  storage: Origin;
}

interface Order {
  path: string[];
  query: URLSearchParams;
  body: unknown;
}

/** A control request that cannot be served; the message is for people. */
class BadOrder extends Error {
  override readonly name = 'BadOrder';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Action = (order: Order, world: World, origins: Origins) => unknown;

/** By method and first part of the path. */
const ACTIONS: Readonly<Record<string, Action>> = {
  'GET settings': (_, world) => world.settings,
  'PATCH settings': ({ body }, world) => {
    const given = Object.entries(check(settingsSchema.partial(), body)).filter(
      ([, value]) => value !== undefined,
    );
    world.settings = { ...world.settings, ...Object.fromEntries(given) };
    return world.settings;
  },
  'POST faults': ({ body }, world) => {
    const fault = check(faultSchema, body);
    const problem = whyImpossible(fault, routeKeys);
    if (problem !== null) throw new BadOrder(400, problem);
    return { id: world.faults.add(fault) };
  },
  'GET faults': (_, world) => world.faults.list(),
  'DELETE faults': ({ path }, world) => {
    const id = path[1];
    if (id === undefined) world.faults.clear();
    else if (!world.faults.remove(id)) throw new BadOrder(404, `there is no fault ${id}`);
    return {};
  },
  'GET requests': (_, world) => world.log.requestCounts(),
  'GET operations': ({ query }, world) => world.log.since(Number(query.get('since') ?? 0)),
  'GET violations': (_, world) => world.log.violations(),
  'GET revisions': (_, world) => [...world.revisions.values()].map(revision => viewRevision(world, revision)),
  'GET uploads': (_, world) => [...world.uploads.values()].map(upload => viewUpload(world, upload)),
  'GET files': (_, world) => [...world.files.values()].map(file => viewFile(world, file)),
  'GET tokens': (_, world) => viewTokens(world),
  'POST tokens': ({ path, body }, world) => tokens(path[1], body, world),
  'GET outages': (_, __, { api, auth, storage }) => ({
    api: api.outage,
    auth: auth.outage,
    storage: storage.outage,
  }),
  'PATCH outages': setOutages,
  'POST projects': ({ path, body }, world) => {
    const project = world.projects.get(path[1] ?? '');
    if (project === undefined || path[2] !== 'edits') throw new BadOrder(404, 'there is no such project');
    applyEdit(world, project, check(projectEditSchema, body));
    return {};
  },
  'POST hooks': async ({ path, body }, world) => {
    const delivery =
      path[2] === 'deliveries' ? await deliver(world, path[1] ?? '', check(deliverySchema, body)) : null;
    if (delivery === null) throw new BadOrder(404, 'there is no such hook');
    return delivery;
  },
  'POST reset': (_, world) => {
    world.reset();
    return {};
  },
};

/** Serves the control port. */
export function controlHandler(
  world: World,
  origins: Origins,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    serve(world, origins, request)
      .catch((error: unknown): Answer => {
        if (error instanceof BadOrder) return { status: error.status, json: { error: error.message } };
        if (error instanceof ImpossibleEdit) return { status: 409, json: { error: error.message } };
        console.error('stand-in control port:', error);
        return { status: 500, json: { error: 'a mistake in the stand-in itself; see its standard error' } };
      })
      .then(answer => respond(response, { kind: 'answered', answer }, {}))
      .catch(() => response.destroy());
  };
}

async function serve(world: World, origins: Origins, request: IncomingMessage): Promise<Answer> {
  const url = new URL(request.url ?? '/', 'http://control.invalid');
  const path = url.pathname.split('/').filter(part => part !== '');
  const action = ACTIONS[`${request.method} ${path[0]}`];
  const bytes = await readBody(request);
  if (action === undefined)
    throw new BadOrder(404, `the control port knows: ${Object.keys(ACTIONS).join(', ')}`);
  const json = await action({ path, query: url.searchParams, body: parse(bytes) }, world, origins);
  world.flush();
  return { status: 200, json };
}

async function setOutages({ body }: Order, world: World, origins: Origins): Promise<unknown> {
  const wanted = check(outagesSchema, body);
  for (const name of ['api', 'auth', 'storage'] as const) {
    const mode = wanted[name];
    if (mode === undefined || mode === origins[name].outage) continue;
    await origins[name].setOutage(mode);
    world.log.record({ kind: 'outage', route: `${name}:*`, request: 0, what: mode });
  }
  return { api: origins.api.outage, auth: origins.auth.outage, storage: origins.storage.outage };
}

/** `login`: a signed-in user's tokens; `expire`: every access token ends now; `revoke`: every login ends. */
function tokens(what: string | undefined, body: unknown, world: World): unknown {
  switch (what) {
    case 'login': {
      const answer = issueTokens(world, createLogin(world, 'authorization_code'));
      return {
        accessToken: answer.access_token,
        refreshToken: answer.refresh_token,
        expiresInSeconds: answer.expires_in,
      };
    }
    case 'expire':
      for (const credential of [...world.credentials.values()]) {
        if (credential.kind === 'access') world.credentials.put({ ...credential, expiresAt: world.now() });
      }
      break;
    case 'revoke': {
      const { loginId } = check(z.strictObject({ loginId: z.string().optional() }), body ?? {});
      for (const login of [...world.logins.values()]) {
        if (loginId === undefined || login.id === loginId) revokeLogin(world, login.id);
      }
      break;
    }
    default:
      throw new BadOrder(404, 'tokens can be asked to: login, expire, revoke');
  }
  world.log.record({ kind: 'effect', route: 'person', request: 0, what: `tokens-${what}` });
  return {};
}

function check<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw new BadOrder(400, z.prettifyError(result.error));
}

function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    throw new BadOrder(400, 'not valid JSON');
  }
}
