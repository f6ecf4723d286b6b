// A client over a scripted service: a fresh pair for each test.

import type { Dispatcher } from 'undici';
import { z } from 'zod';
import type { Endpoint } from '../../../activities/service/endpoint';
import type { AcquireInput, Permit, RateGate } from '../../../activities/service/rate/rate-gate';
import { Secret } from '../../../activities/service/secret';
import { ServiceClient } from '../../../activities/service/service-client';
import { completeServiceConfig, type ServiceOptions } from '../../../activities/service/service-config';
import type { AccessToken } from '../../../activities/service/tokens/token-source';
import { ScriptedService } from './scripted-service';

export const CANARY_TOKEN = 'canary-access-token-7f3a';
export const CANARY_SECRET = 'canary-client-secret-91bc';

/** A read of one thing. */
export const showThing: Endpoint<{ readonly id: string }, undefined, undefined, { readonly id: string }> = {
  name: 'things.show',
  method: 'GET',
  origin: 'api',
  path: '/rest/v2.0/things/{id}',
  response: z.object({ data: z.object({ id: z.string() }) }).transform(body => body.data),
  success: [200],
  repeatable: 'yes',
};

/** A write that must not be repeated blindly. */
export const makeThing: Endpoint<
  Record<string, never>,
  undefined,
  { readonly name: string },
  { readonly id: string }
> = {
  ...showThing,
  name: 'things.create',
  method: 'POST',
  path: '/rest/v2.0/things',
  request: z.strictObject({ name: z.string() }),
  success: [201],
  repeatable: 'no',
};

class FakeTokens {
  generation = 1;
  refreshes = 0;
  refusals = 0;
  /** So often there is none at hand. */
  gaps = 0;
  refreshGives = 1;

  async current(): Promise<AccessToken> {
    return this.#token();
  }

  atHand(): AccessToken | undefined {
    if (this.gaps > 0) {
      this.gaps -= 1;
      return undefined;
    }
    return this.#token();
  }

  refuse(): void {
    this.refusals += 1;
  }

  /** Those before the present one are. */
  isRefused(generation: number): boolean {
    return generation < this.generation;
  }

  async refresh(rejectedGeneration: number): Promise<AccessToken> {
    this.refreshes += 1;
    if (this.generation === rejectedGeneration) this.generation += this.refreshGives;
    return this.#token();
  }

  #token(): AccessToken {
    return { accessToken: new Secret(`${CANARY_TOKEN}-${this.generation}`), generation: this.generation };
  }
}

/** Lets everything through and keeps count. */
export class FakeGate implements RateGate {
  acquired = 0;
  observed: (number | null)[] = [];
  released = 0;
  /** What every answer with a `Retry-After` means, Unix ms. */
  retryAtMs = 1_234_567;

  /** While the permit is waited for. */
  beforePermit: () => void = () => undefined;

  async acquire(_: AcquireInput): Promise<Permit> {
    this.acquired += 1;
    this.beforePermit();
    return { seq: this.acquired, weight: 1, sentAtMs: 0 };
  }

  observe(_: Permit, headers: ReadonlyMap<string, string>, status: number | null): number | undefined {
    this.observed.push(status);
    return headers.has('retry-after') ? this.retryAtMs : undefined;
  }

  release(): void {
    this.released += 1;
  }
}

export interface ClientBed {
  readonly service: ScriptedService;
  readonly tokens: FakeTokens;
  readonly gate: FakeGate;
  readonly logged: unknown[];
  readonly client: ServiceClient;
  /** A client with other options over the same service. */
  clientWith(options: Partial<ServiceOptions>, dispatcher?: Dispatcher): ServiceClient;
}

/** Call it at the level of a describe; the answer is the bed of the running test. */
export function useClientBed(): () => ClientBed {
  let bed: ClientBed;
  const clients: ServiceClient[] = [];
  beforeEach(async () => {
    const service = new ScriptedService();
    await service.listen();
    const tokens = new FakeTokens();
    const gate = new FakeGate();
    const logged: unknown[] = [];
    const clientWith = (options: Partial<ServiceOptions>, dispatcher?: Dispatcher) => {
      const client = new ServiceClient({
        config: completeServiceConfig({
          baseUrl: service.url,
          authUrl: service.url,
          clientId: 'client-1',
          clientSecret: new Secret(CANARY_SECRET),
          allowInsecureLoopback: true,
          ...options,
        }),
        tokens,
        gate,
        ...(dispatcher === undefined ? {} : { dispatcher }),
        logger: {
          debug: (facts, message) => void logged.push([facts, message]),
          warn: (facts, message) => void logged.push([facts, message]),
        },
      });
      clients.push(client);
      return client;
    };
    bed = { service, tokens, gate, logged, client: clientWith({}), clientWith };
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map(client => client.close()));
    await bed.service.close();
  });
  return () => bed;
}

/** The error that `work` ends with; fails when it does not. */
export async function errorOf(work: Promise<unknown>): Promise<Record<string, unknown> & Error> {
  try {
    await work;
  } catch (error) {
    return error as Record<string, unknown> & Error;
  }
  throw new Error('it succeeded');
}
