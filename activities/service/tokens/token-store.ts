// The port behind which tokens rest, and the record that rests there. Plain JSON, for
// one environment and client id.
import { z } from 'zod';

export const tokenRecord = z.strictObject({
  version: z.literal(1),
  /** Origin of the authentication calls: production and sandbox cannot be mixed. */
  authOrigin: z.string(),
  clientId: z.string(),
  grant: z.enum(['client_credentials', 'refresh_token']),
  /** Grows by one with every token obtained, by whichever process. */
  generation: z.number().int().nonnegative(),
  /** As a header carries it. */
  accessToken: z
    .string()
    .regex(/^[\x21-\x7e]+$/)
    .nullable(),
  refreshToken: z.string().nullable(),
  /** Unix ms, just before the request that obtained it was sent. */
  obtainedAtMs: z.number(),
  lifetimeMs: z.number().nullable(),
  /** An exchange of the refresh token that has begun and not ended: its fate is unknown. */
  exchange: z.strictObject({ startedAtMs: z.number(), sends: z.number().int() }).nullable(),
  /** The refresh token is used up, and only a new login helps. */
  burnt: z.strictObject({ atMs: z.number(), reason: z.string() }).nullable(),
  /** SHA-256 of the configured first refresh token this line of tokens began with. */
  seed: z.string().nullable(),
});
export type TokenRecord = z.infer<typeof tokenRecord>;

/** Port. Whatever it throws is a ServiceError without any part of a token. */
export interface TokenStore {
  /** The latest saved record; null when there is none. */
  load(): Promise<TokenRecord | null>;
  /**
   * Another text after every save by whichever process, as cheap as a look at a
   * file's date; null: nothing is there.
   */
  stamp(): Promise<string | null>;
  /** Durable when it resolves. Only inside `lock`; throws when the lock was lost meanwhile. */
  save(record: TokenRecord): Promise<void>;
  /** Runs `work` while no other process and no other caller of this one can. */
  lock<Result>(work: () => Promise<Result>): Promise<Result>;
}
