// Where the service is, who we are there, and how long we wait. Checked once, here;
// all faults are reported together.
import { isIP } from 'node:net';
import { MisconfiguredError } from './errors';
import type { Secret } from './secret';

// The specification's header for the company; deployments differ.
const DEFAULT_COMPANY_HEADER = 'Service-Company-Id';

export interface Timeouts {
  /** Until the response's headers, after the request was written. */
  readonly headersMs: number;
  /** Between two pieces of the response's body. */
  readonly bodyMs: number;
  /** The whole exchange, connecting included: a dripping response cannot stretch it. */
  readonly totalMs: number;
}

export interface ServiceConfig {
  /** `https://host[:port][/prefix]` of the resource calls. */
  readonly baseUrl: string;
  /** The same of the authentication calls. */
  readonly authUrl: string;
  readonly companyHeader: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly grant: 'client_credentials' | 'refresh_token';
  /** First refresh token, for a store that has none yet; single-use, so the store takes over at once. */
  readonly initialRefreshToken?: Secret;
  readonly timeouts: Timeouts;
  readonly maxResponseBytes: number;
  /** Requests under way at once, per origin. */
  readonly connections: number;
  /** Longest wait for the rate limit in place; longer ones are thrown as RATE_LIMITED. */
  readonly maxWaitMs: number;
  /** Whether calls to the authentication host use up the rate limit (the specification is silent). */
  readonly authCountsAgainstLimit: boolean;
  /** PEM text of further certificate authorities. */
  readonly caBundle?: string;
  /** http to a loopback address, for the stand-in service and tests. */
  readonly allowInsecureLoopback: boolean;
}

/** What must be given; everything else has a default. */
export type ServiceOptions = Pick<ServiceConfig, 'baseUrl' | 'authUrl' | 'clientId' | 'clientSecret'> &
  Partial<Omit<ServiceConfig, 'timeouts'>> & { readonly timeouts?: Partial<Timeouts> };

/** A configured address, split once so that no later text can change where a bearer token goes. */
export interface Target {
  /** `https://host:port`, as `URL.origin` writes it. */
  readonly origin: string;
  /** Path prefix without a slash at the end; mostly empty. */
  readonly prefix: string;
}

/**
 * Fills the defaults in and checks everything. Throws MisconfiguredError with all
 * faults, naming keys, never values.
 */
export function completeServiceConfig(options: ServiceOptions): ServiceConfig {
  const config: ServiceConfig = {
    companyHeader: DEFAULT_COMPANY_HEADER,
    grant: 'client_credentials',
    // One JSON response: listing 100 uploads of ~6 KB each is the largest regular one.
    maxResponseBytes: 5_000_000,
    connections: 16,
    maxWaitMs: 15_000,
    authCountsAgainstLimit: false,
    allowInsecureLoopback: false,
    ...options,
    timeouts: { headersMs: 30_000, bodyMs: 30_000, totalMs: 60_000, ...options.timeouts },
  };
  const faults = [
    ...addressFaults('baseUrl', config.baseUrl, config.allowInsecureLoopback),
    ...addressFaults('authUrl', config.authUrl, config.allowInsecureLoopback),
    ...headerFaults('clientId', config.clientId),
    ...(config.clientSecret.reveal() === '' ? ['clientSecret: is empty'] : []),
    ...(/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(config.companyHeader)
      ? []
      : ['companyHeader: is no header name']),
    ...numberFaults('timeouts.headersMs', config.timeouts.headersMs, 10),
    ...numberFaults('timeouts.bodyMs', config.timeouts.bodyMs, 10),
    ...numberFaults('timeouts.totalMs', config.timeouts.totalMs, 10),
    ...numberFaults('maxResponseBytes', config.maxResponseBytes, 1_000),
    ...numberFaults('connections', config.connections, 1),
    ...numberFaults('maxWaitMs', config.maxWaitMs, 0),
  ];
  if (faults.length > 0)
    throw new MisconfiguredError(`service: ${faults.join('; ')}`, { effect: 'not-sent' });
  return config;
}

/** Splits a checked address. */
export function toTarget(address: string): Target {
  const url = new URL(address);
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}

/** Whether a host name of a URL means this machine. */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (isIP(host) === 4) return host.startsWith('127.');
  return host === '::1' || host === 'localhost';
}

function addressFaults(key: string, address: string, allowInsecureLoopback: boolean): readonly string[] {
  if (!URL.canParse(address)) return [`${key}: is no address`];
  const url = new URL(address);
  const faults: string[] = [];
  if (url.protocol === 'http:') {
    if (!isLoopbackHost(url.hostname)) faults.push(`${key}: must be https`);
    else if (!allowInsecureLoopback) faults.push(`${key}: http to this machine needs allowInsecureLoopback`);
  } else if (url.protocol !== 'https:') faults.push(`${key}: must be https`);
  if (url.username !== '' || url.password !== '') faults.push(`${key}: must not hold credentials`);
  if (url.search !== '' || url.hash !== '') faults.push(`${key}: must not have a query or fragment`);
  return faults;
}

function headerFaults(key: string, value: string): readonly string[] {
  return /^[\x21-\x7e]{1,512}$/.test(value) ? [] : [`${key}: must be 1 to 512 visible ASCII characters`];
}

function numberFaults(key: string, value: number, least: number): readonly string[] {
  return Number.isFinite(value) && value >= least ? [] : [`${key}: must be a number of at least ${least}`];
}
