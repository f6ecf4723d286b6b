// Who is signed in; signing in with a name and a password, and out.
import type { FastifyInstance } from 'fastify';
import { type Me, sessionRoutes } from '../contract/session';
import { texts } from '../texts/texts';
import type { SignIn, Visitor, Visitors } from './access';
import { csrfOf } from './guard';
import { ConsoleProblem } from './module';
import { requireShape } from './problem';

export interface SessionInput {
  readonly access: Visitors & SignIn;
  readonly key: Buffer;
  readonly shares: () => readonly string[];
  readonly version: string;
}

export function addSessionRoutes(server: FastifyInstance, input: SessionInput): void {
  const { access } = input;
  const config = { anyone: true };
  server.get('/api/me', { config }, async request => toMe(input, access.visitorOf(request)));
  server.post('/api/sign-in', { config }, async (request, reply) => {
    if (access.enter === undefined) throw new ConsoleProblem(404, texts.access.noPassword);
    const given = requireShape(sessionRoutes['POST /api/sign-in'].body, request.body);
    return toMe(input, await access.enter(request, reply, given));
  });
  server.post('/api/sign-out', { config }, async (request, reply) => {
    await access.leave?.(request, reply);
    return toMe(input, undefined);
  });
}

function toMe({ access, key, shares, version }: SessionInput, visitor: Visitor | undefined): Me {
  const roles = shares().flatMap(share => {
    const role = (['operate', 'answer', 'see'] as const).find(each => visitor?.person.may(each, share));
    return role === undefined ? [] : [[share, role] as const];
  });
  return {
    name: visitor?.person.name ?? null,
    signIn: access.signIn,
    roles: Object.fromEntries(roles),
    csrf: csrfOf(key, visitor?.session),
    version,
  };
}
