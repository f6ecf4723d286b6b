// A process of its own that asks for tokens, as a worker does. Its parent says when.
import { Secret } from '../../../../activities/service/secret';
import { completeServiceConfig } from '../../../../activities/service/service-config';
import { FileTokenStore } from '../../../../activities/service/tokens/file-token-store';
import { TokenSource } from '../../../../activities/service/tokens/token-source';

export interface TokenOrder {
  readonly kind: 'current' | 'refresh';
  readonly generation?: number;
  /** Answer the token itself as well. */
  readonly tells?: boolean;
}

export interface TokenReport {
  readonly generation?: number;
  /** As the service would see it. */
  readonly accessToken?: string;
  readonly code?: string;
}

const [folder = '', authUrl = '', firstToken = '', clientSecret = 'secret'] = process.argv.slice(2);
const config = completeServiceConfig({
  baseUrl: authUrl,
  authUrl,
  clientId: 'client-1',
  clientSecret: new Secret(clientSecret),
  grant: 'refresh_token',
  initialRefreshToken: new Secret(firstToken),
  allowInsecureLoopback: true,
  timeouts: { totalMs: 2_000 },
});
const source = new TokenSource({ config, store: new FileTokenStore({ folder, config }) });

process.on('message', (order: TokenOrder) => {
  const asked = order.kind === 'current' ? source.current() : source.refresh(order.generation ?? 0);
  asked.then(
    token => {
      const accessToken = order.tells === true ? { accessToken: token.accessToken.reveal() } : {};
      process.send?.({ generation: token.generation, ...accessToken } satisfies TokenReport);
    },
    (error: { code?: string }) => process.send?.({ code: error.code ?? 'BUG' } satisfies TokenReport),
  );
});
process.on('disconnect', () => process.exit());
process.send?.({});
