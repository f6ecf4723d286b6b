// Routes of the contract: what is asked is checked, who asks is checked, and only what the contract names
// goes out.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Role, Route, Routes } from '../contract/route';
import { texts } from '../texts/texts';
import type { Visitor, Visitors } from './access';
import { ConsoleProblem, type Person } from './module';
import { requireShape } from './problem';

/** The handlers of any part. */
export type AnyHandlers = Readonly<Record<string, (asked: never, person: Person) => Promise<unknown>>>;

export interface AnswerInput {
  readonly routes: Routes;
  readonly access: Visitors;
  /** All shares: where a route names none, its role on any one of them will do. */
  readonly shares: () => readonly string[];
}

export function addRoutes(server: FastifyInstance, handlers: AnyHandlers, input: AnswerInput): void {
  for (const [key, handler] of Object.entries(handlers)) {
    const route = (input.routes as Readonly<Record<string, Route>>)[key];
    if (route === undefined) throw new Error(`${key} is no route of the contract`);
    const [method = '', url = ''] = key.split(' ');
    const textOf = keepTexts(answer => requireAnswer(route, key, answer));
    server.route({
      method,
      url,
      config: { anyone: route.role === 'anyone' },
      ...(route.bodyBytes === undefined ? {} : { bodyLimit: route.bodyBytes }),
      handler: async (request, reply) => {
        const asked = readAsked(route, request);
        const visitor = input.access.visitorOf(request);
        const share = shareOf(asked.params);
        const shares = share === undefined ? input.shares() : [share];
        const { person } =
          route.role === 'anyone' ? (visitor ?? NOBODY) : requireVisitor(visitor, route.role, shares);
        const text = textOf(await handler(asked as never, person));
        return await reply.type('application/json; charset=utf-8').send(text);
      },
    });
  }
}

/** All faults of one part at once; a body is not looked at before its address is right. */
function readAsked(route: Route, request: FastifyRequest) {
  return {
    params: route.params && requireShape(route.params, request.params),
    query: route.query && requireShape(route.query, request.query),
    body: route.body && requireShape(route.body, request.body),
  };
}

/** @throws ConsoleProblem 401, or 403 when they may do that with none of the shares. */
export function requireVisitor(visitor: Visitor | undefined, role: Role, shares: readonly string[]): Visitor {
  if (visitor === undefined) throw new ConsoleProblem(401, texts.access.signInFirst);
  // Without any share there is nothing to be kept from anybody.
  if (shares.length === 0 || shares.some(share => visitor.person.may(role, share))) return visitor;
  throw new ConsoleProblem(403, texts.access.needsRole(role));
}

function shareOf(params: unknown): string | undefined {
  const { share } = (params ?? {}) as { readonly share?: unknown };
  return typeof share === 'string' ? share : undefined;
}

const NOBODY: Visitor = { person: { id: '', name: '', may: () => false }, session: '' };

/** The answer as JSON, without what the contract does not name. @throws when it does not fit the contract. */
function requireAnswer(route: Route, key: string, answer: unknown): string {
  const parsed = route.answer.safeParse(answer);
  if (parsed.success) return JSON.stringify(parsed.data);
  throw new Error(`The answer to ${key} is not as the contract says: ${parsed.error.message}`);
}

/** What is frozen is an answer to many (KeptPages): its text is made once. */
function keepTexts(toText: (answer: unknown) => string): (answer: unknown) => string {
  const texts = new WeakMap<object, string>();
  return answer => {
    if (typeof answer !== 'object' || answer === null || !Object.isFrozen(answer)) return toText(answer);
    const text = texts.get(answer) ?? toText(answer);
    texts.set(answer, text);
    return text;
  };
}
