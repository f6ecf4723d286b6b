// What the service answers: whether it takes our credentials, and one read in each project. Not one request
// changes anything, and neither does the look itself: no token is stored, no rate limit is kept anew.
import { existsSync } from 'node:fs';
import { hasCode } from '../../activities/host/error-code';
import { listRequirements } from '../../activities/service/endpoints/project-rules';
import { listHooks } from '../../activities/service/endpoints/webhooks';
import { isServiceError, type ServiceErrorCode } from '../../activities/service/errors';
import { fetchAll } from '../../activities/service/pages';
import { HeaderRateGate } from '../../activities/service/rate/rate-gate';
import { type Sender, ServiceClient } from '../../activities/service/service-client';
import type { ServiceConfig } from '../../activities/service/service-config';
import { TokenSource } from '../../activities/service/tokens/token-source';
import type { ShareConfig } from '../../activities/share/share-config';
import { createRateGate, createTokenStore } from '../../workers/adapters';
import type { Config } from '../../workers/config/config';
import { createLogger } from '../../workers/logging';
import type { ProjectRef } from '../../workflows/contract';
import { checkEnvironments } from '../sign-in/service-session';
import { toEnsureInputs } from '../webhooks/ensure-inputs';
import { toWhy } from './finding';
import type { Skew } from './judge-clock';
import { type LimitLeft, ListeningGate } from './listening-gate';
import { LookingTokens, type NotRenewedError } from './looking-tokens';

const TIMEOUTS = { headersMs: 8_000, bodyMs: 8_000, totalMs: 10_000 };
const MOST_WAIT_MS = 3_000;

export interface Unanswered {
  readonly code: ServiceErrorCode | 'NOT_RENEWED' | 'OTHER';
  readonly why: string;
}

/** A question to the service: its answer, or what it failed with. */
export type Answered<T> = { readonly value: T } | Unanswered;

export interface ProjectFacts {
  readonly project: ProjectRef;
  readonly shares: readonly string[];
  /** Undefined: without a token nothing was asked. */
  readonly read: Answered<unknown> | undefined;
}

export interface HookFacts {
  readonly scope: string;
  /** Whether ours leads to the configured address. */
  readonly isThere: Answered<boolean> | undefined;
}

export interface ServiceFacts {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly clientId: string;
  readonly isStandIn: boolean;
  readonly grant: ServiceConfig['grant'];
  /** `isFresh`: asked for just now, because none that is still good was stored. */
  readonly token: Answered<{ readonly isFresh: boolean; readonly expiresAtMs: number | null }>;
  readonly projects: readonly ProjectFacts[];
  readonly hooks: readonly HookFacts[];
  /** Whether the API answered anything at all. */
  readonly hasAnswered: boolean;
  readonly clock: Skew | undefined;
  readonly limits: readonly LimitLeft[];
}

export async function lookAtService(
  config: Config,
  configured: ServiceConfig,
  shares: readonly ShareConfig[],
): Promise<ServiceFacts> {
  const service = { ...configured, timeouts: TIMEOUTS, maxWaitMs: MOST_WAIT_MS };
  const shared = createRateGate(config, service, createLogger({ level: 'silent' }));
  // Where processes of this host share the limit, our requests count with theirs; else no folder is made.
  const limit = existsSync(shared.folder) ? shared : new HeaderRateGate();
  // Listens to the API alone: sign-ins may count against the limit, too, but another host answers those.
  const gate = new ListeningGate(limit);
  const store = new LookingTokens(createTokenStore(config, service));
  const tokens = new TokenSource({ config: service, store, gate: limit });
  const client = new ServiceClient({ config: service, tokens, gate });
  try {
    const token = await answered(async () => {
      if (existsSync(config.tokens.folder)) checkEnvironments(config, service);
      await tokens.current();
      return { isFresh: store.isFresh, expiresAtMs: tokens.describe()?.expiresAtMs ?? null };
    });
    const sender = 'value' in token ? client : undefined;
    const projects = await Promise.all(byProject(shares).map(one => readProject(sender, one)));
    const hooks = await lookAtHooks(sender, config);
    const { hasAnswered, clock, limits } = gate;
    const { baseUrl, authUrl, clientId, grant } = service;
    const isStandIn = config.service === undefined;
    return {
      ...{ baseUrl, authUrl, clientId, isStandIn, grant, token, projects, hooks },
      ...{ hasAnswered, clock, limits },
    };
  } finally {
    await client.close();
    await tokens.close();
    await shared.close();
  }
}

function byProject(
  shares: readonly ShareConfig[],
): readonly { readonly project: ProjectRef; readonly shares: readonly string[] }[] {
  const found = new Map<string, { readonly project: ProjectRef; readonly shares: string[] }>();
  for (const { project, name } of shares) {
    const key = `${project.companyId} ${project.projectId}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, { project, shares: [name] });
    else known.shares.push(name);
  }
  return [...found.values()];
}

/** Reads the upload requirements, which a batch asks for first, and no more of them than one. */
async function readProject(
  client: Sender | undefined,
  { project, shares }: { readonly project: ProjectRef; readonly shares: readonly string[] },
): Promise<ProjectFacts> {
  const { companyId } = project;
  const read =
    client &&
    (await answered(
      async () =>
        await client.send(listRequirements, { params: project, companyId, query: { page: 1, perPage: 1 } }),
    ));
  return { project, shares, read };
}

async function lookAtHooks(client: Sender | undefined, config: Config): Promise<readonly HookFacts[]> {
  if (config.webhooks?.destinationUrl === undefined) return [];
  return await Promise.all(
    toEnsureInputs(config.webhooks).map(async ({ companyId, projectId, destinationUrl, namespace }) => {
      const scope = { companyId, ...(projectId === undefined ? {} : { projectId }) };
      const isThere =
        client &&
        (await answered(async () => {
          const listed = await fetchAll(client, listHooks, {
            companyId,
            params: {},
            query: { scope, ...(namespace === undefined ? {} : { namespace }) },
          });
          return listed.some(hook => hook.namespace === namespace && hook.destinationUrl === destinationUrl);
        }));
      return { scope: projectId === undefined ? `company ${companyId}` : `project ${projectId}`, isThere };
    }),
  );
}

async function answered<T>(question: () => Promise<T>): Promise<Answered<T>> {
  try {
    return { value: await question() };
  } catch (error) {
    const isOurs = hasCode<NotRenewedError['code']>(error, 'NOT_RENEWED');
    const code = isServiceError(error) ? error.code : isOurs ? 'NOT_RENEWED' : 'OTHER';
    return { code, why: toWhy(error) };
  }
}
