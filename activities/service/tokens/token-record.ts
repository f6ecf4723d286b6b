// A line of tokens: from a first refresh token, configured or of a login, through every
// exchange until it is burnt. Pure.
import { hash } from 'node:crypto';
import { LoginRequiredError } from '../errors';
import { Secret } from '../secret';
import { type ServiceConfig, toTarget } from '../service-config';
import type { TokenRecord } from './token-store';

type RecordConfig = Pick<ServiceConfig, 'authUrl' | 'clientId' | 'grant' | 'initialRefreshToken'>;

/** A record of this environment and client that holds no token yet. */
export function emptyRecord(config: RecordConfig): TokenRecord {
  return {
    version: 1,
    authOrigin: toTarget(config.authUrl).origin,
    clientId: config.clientId,
    grant: config.grant,
    generation: 0,
    accessToken: null,
    refreshToken: null,
    obtainedAtMs: 0,
    lifetimeMs: null,
    exchange: null,
    burnt: null,
    seed: null,
  };
}

/** Whether the record is of this environment and client; tokens of another are not even tried. */
export function isRecordOf(record: TokenRecord, config: RecordConfig): boolean {
  return record.authOrigin === toTarget(config.authUrl).origin && record.clientId === config.clientId;
}

/** The record without its tokens. A configured first refresh token does not begin a line again by itself. */
export function signedOutRecord(record: TokenRecord, config: RecordConfig, atMs: number): TokenRecord {
  const first = config.initialRefreshToken;
  return {
    ...emptyRecord(config),
    generation: record.generation,
    seed: first === undefined ? record.seed : seedOf(first),
    burnt: config.grant === 'refresh_token' ? { atMs, reason: 'signed out' } : null,
  };
}

/** Whether the tokens up to its generation were signed out, and none has been obtained since. */
export function isSignedOut({ accessToken, refreshToken }: TokenRecord): boolean {
  return accessToken === null && refreshToken === null;
}

/**
 * The refresh token to exchange next, and the record it belongs to: the stored one, else the configured first
 * one unless it began this very line. Throws LoginRequiredError when there is none.
 */
export function chooseRefreshToken(
  stored: TokenRecord | null,
  config: RecordConfig,
): { readonly record: TokenRecord; readonly refreshToken: Secret } {
  const record = stored ?? emptyRecord(config);
  if (record.grant === 'refresh_token' && record.refreshToken !== null && record.burnt === null) {
    return { record, refreshToken: new Secret(record.refreshToken) };
  }
  const first = config.initialRefreshToken;
  const seed = first === undefined ? null : seedOf(first);
  if (first === undefined || seed === record.seed) {
    const why =
      record.burnt === null ? 'there is no refresh token; log in' : `log in again: ${record.burnt.reason}`;
    throw new LoginRequiredError(why, { effect: 'not-sent' });
  }
  return {
    refreshToken: first,
    record: { ...emptyRecord(config), generation: record.generation, refreshToken: first.reveal(), seed },
  };
}

function seedOf(first: Secret): string {
  return hash('sha256', first.reveal());
}
