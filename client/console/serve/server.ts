// The server of the page: everything that every part of it has in common.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import type { Logger } from '../../../workers/logging';
import type { Routes } from '../contract/route';
import { texts } from '../texts/texts';
import type { Access } from './access';
import { type AnyHandlers, addRoutes, requireVisitor } from './answer-routes';
import { addGuard } from './guard';
import { Live } from './live';
import type { ConsoleModule, Door } from './module';
import { toOpenApi } from './open-api';
import { addPage, takes } from './page-files';
import { toProblem } from './problem';
import { addSessionRoutes } from './session-routes';
import { cutSilent } from './silence';

/** The largest body; a route that takes more says so. */
const MOST_BYTES = 1024 * 1024;
const LONGEST_NAME = 2_000;
const READ_HEAD_WITHIN_MS = 10_000;
const MOST_CONNECTIONS = 2_000;
/** What is under way when we end, such as an upload, can be gone on with. */
const END_WITHIN_MS = 3_000;
const PACK_FROM_BYTES = 4_096;
/** Packed answers are kept up to this size: lists, but not the rows of thousands. */
const KEEP_TO_BYTES = 256 * 1024;
const pack = promisify(gzip);

export interface ConsoleServerInput {
  readonly routes: Routes;
  readonly modules: readonly AnyModule[];
  readonly access: Access;
  readonly shares: () => readonly string[];
  readonly logger: Logger;
  /** Where the built page lies. */
  readonly page: string;
  /** Empty, or as `/drawbridge`: a proxy may take it away or leave it. */
  readonly prefix: string;
  /** As browsers name it, besides this machine's own names. */
  readonly publicOrigin?: string | undefined;
  readonly isLoopback: boolean;
  /** 32 bytes. */
  readonly key: Buffer;
  readonly version: string;
  readonly now: () => Date;
  /** In ms, how often changes are looked for, and a sign of life is given; the usual when absent. */
  readonly liveEveryMs?: { readonly look: number; readonly beat: number };
  /** After so much silence a connection is closed; the usual when absent. */
  readonly silentMs?: number;
}

export type AnyModule = Pick<ConsoleModule<Routes>, 'extend' | 'look' | 'onChanged' | 'close'> & {
  readonly handlers: AnyHandlers;
};

export interface ConsoleServer {
  readonly server: FastifyInstance;
  readonly live: Live;
  /** Resolves to the port. @throws with `code` when it is taken. */
  listen(host: string, port: number): Promise<number>;
  close(): Promise<void>;
}

export function createConsoleServer(input: ConsoleServerInput): ConsoleServer {
  const { access, modules, key, shares } = input;
  const server = createFastify(input);
  const live = new Live({
    ...input,
    looks: modules.flatMap(({ look }) => look ?? []),
    listeners: modules.flatMap(({ onChanged }) => onChanged ?? []),
  });
  addGuard(server, { access, key, origins: () => originsOf(input, portOf(server)) });
  logActions(server, input);
  packAnswers(server);
  const door: Door = {
    person: (request, role, share) => requireVisitor(access.visitorOf(request), role, [share]).person,
  };
  addSessionRoutes(server, input);
  for (const { handlers } of modules) addRoutes(server, handlers, { routes: input.routes, access, shares });
  for (const { extend } of modules) extend?.(server, door);
  access.extend?.(server);
  const described = JSON.stringify(toOpenApi(input.routes, input.version, input.prefix));
  server.get('/api/openapi.json', (_request, reply) => reply.type('application/json').send(described));
  live.extend(server);
  addPage(server, input.page, input.prefix);
  return {
    server,
    live,
    listen: async (host, port) => {
      await server.listen({ host, port });
      return portOf(server);
    },
    close: async () => {
      const looked = live.close();
      const insist = setTimeout(() => server.server.closeAllConnections(), END_WITHIN_MS);
      await server.close();
      clearTimeout(insist);
      await looked;
      for (const { close } of modules) await close?.();
      await access.close?.();
    },
  };
}

function createFastify({ prefix, logger, silentMs }: ConsoleServerInput): FastifyInstance {
  const server = Fastify({
    bodyLimit: MOST_BYTES,
    keepAliveTimeout: 30_000,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: LONGEST_NAME },
    http: { headersTimeout: READ_HEAD_WITHIN_MS },
    // An upload takes as long as it takes.
    requestTimeout: 0,
    rewriteUrl: ({ url = '/' }) => withoutPrefix(url, prefix),
    frameworkErrors: (error, _request, reply) => {
      const { status, problem } = toProblem(error, 'an address', logger);
      void (reply as FastifyReply).code(status).send(problem);
    },
  });
  // A form on a page of another origin could send this type without a preflight request.
  server.removeContentTypeParser('text/plain');
  server.server.maxConnections = MOST_CONNECTIONS;
  cutSilent(server.server, silentMs);
  server.setNotFoundHandler((_request, reply) => reply.code(404).send({ text: texts.asked.nothingHere }));
  server.setErrorHandler((error, request, reply) => {
    const asked = `${request.method} ${request.routeOptions.url ?? 'an address'}`;
    const { status, problem } = toProblem(error, asked, logger);
    return reply.code(status).send(problem);
  });
  return server;
}

function withoutPrefix(url: string, prefix: string): string {
  if (prefix === '' || !url.startsWith(prefix)) return url;
  const rest = url.slice(prefix.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : url;
}

/** Our own, in all the ways in which a browser on this machine may write them, and the public one. */
function originsOf({ isLoopback, publicOrigin }: ConsoleServerInput, port: number): readonly string[] {
  const ownNames = isLoopback ? ['localhost', '127.0.0.1', '[::1]'] : [];
  const own = ownNames.map(name => `http://${name}${port === 80 ? '' : `:${port}`}`);
  return publicOrigin === undefined ? own : [...own, publicOrigin.toLowerCase()];
}

function portOf({ server }: FastifyInstance): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Who did what with which share; never what they wrote. */
function logActions(server: FastifyInstance, { access, logger }: ConsoleServerInput): void {
  server.addHook('onResponse', async (request, reply) => {
    if (request.method === 'GET' || request.method === 'HEAD') return;
    const named = [request.params, request.body].map(
      each => (each as { share?: unknown } | undefined)?.share,
    );
    const share = named.find(each => typeof each === 'string')?.slice(0, 100);
    const who = access.visitorOf(request)?.person.name ?? null;
    const what = `${request.method} ${request.routeOptions.url ?? 'an address'}`;
    logger.info({ event: 'console-action', who, what, share, status: reply.statusCode }, 'Asked on the page');
  });
}

function packAnswers(server: FastifyInstance): void {
  /** Fifty that look on ask the same in one moment: their answer is packed once. */
  let last: { readonly payload: string; readonly packed: Promise<Buffer> } | undefined;
  server.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < PACK_FROM_BYTES) return payload;
    if (reply.hasHeader('content-encoding') || !takes(request.headers['accept-encoding'], 'gzip'))
      return payload;
    const packing = last?.payload === payload ? last.packed : pack(payload, { level: 1 });
    if (payload.length <= KEEP_TO_BYTES) last = { payload, packed: packing };
    const packed = await packing.catch(error => {
      last = undefined;
      throw error;
    });
    void reply
      .header('content-encoding', 'gzip')
      .header('vary', 'accept-encoding')
      .removeHeader('content-length');
    return packed;
  });
}
