// A client of the product on a stand-in service of its own, for tests of endpoints
// and activities over real HTTP.
import { HeaderRateGate, type RateGate } from '../../activities/service/rate/rate-gate';
import { Secret } from '../../activities/service/secret';
import { ServiceClient } from '../../activities/service/service-client';
import { completeServiceConfig } from '../../activities/service/service-config';
import { TokenSource } from '../../activities/service/tokens/token-source';
import { FakeTokenStore } from '../activities/service/tokens/fake-token-store';
import { SandboxControl } from '../sandbox/control';
import { DEFAULT_CREDENTIALS } from '../sandbox/defaults';
import { type Sandbox, startSandbox } from '../sandbox/server';

export interface SandboxClient {
  readonly sandbox: Sandbox;
  readonly control: SandboxControl;
  readonly tokens: TokenSource;
  readonly client: ServiceClient;
}

/** Call it at the level of a describe or file; one stand-in for all its tests, reset before each. */
export function useSandboxClient(): () => SandboxClient {
  let bed: SandboxClient;
  let own = new HeaderRateGate();
  const gate: RateGate = {
    acquire: input => own.acquire(input),
    observe: (...answer) => own.observe(...answer),
    release: permit => own.release(permit),
  };
  beforeAll(async () => {
    const sandbox = await startSandbox({ settings: { limits: null, timeScale: 1_000 } });
    const config = completeServiceConfig({
      baseUrl: sandbox.apiUrl,
      authUrl: sandbox.authUrl,
      clientId: DEFAULT_CREDENTIALS.clientId,
      clientSecret: new Secret(DEFAULT_CREDENTIALS.clientSecret),
      allowInsecureLoopback: true,
    });
    const tokens = new TokenSource({ config, store: new FakeTokenStore() });
    const client = new ServiceClient({ config, tokens, gate });
    bed = { sandbox, control: new SandboxControl(sandbox.controlUrl), tokens, client };
  });
  beforeEach(async () => {
    await bed.control.reset();
    // A limit that a refusal of the test before has shown would count the requests of this one.
    own = new HeaderRateGate();
    // The reset ends all tokens: a 401 would be counted as a request of the test.
    await bed.tokens.refresh((await bed.tokens.current()).generation);
  });
  afterAll(async () => {
    await bed.client.close();
    await bed.tokens.close();
    await bed.sandbox.close();
  });
  return () => bed;
}
