// From the service's section of the config file to what the service client works with, secrets read.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { codeOf } from '../../activities/host/error-code';

import { Secret } from '../../activities/service/secret';
import { isLoopbackHost, type ServiceConfig } from '../../activities/service/service-config';
import type { ConfigFault, ConfigReading } from './config-reading';
import type { RightParts, ServiceSettings } from './config-schema';
import { createSecret, parseKey, readSecret } from './config-secrets';
import { type SecretReference, webAddress } from './config-values';

export interface ServiceReading {
  readonly service?: ServiceConfig;
  readonly tokenKey?: Buffer;
  readonly faults: readonly ConfigFault[];
}

/**
 * Its secrets are read here, and what goes wrong then is reported with all other faults.
 * @param written the section as it stands in the file.
 */
export function readService(
  { service: settings, limits }: RightParts,
  written: unknown,
  input: ConfigReading,
): ServiceReading {
  if (settings === undefined) return { faults: checkAddresses(written) };
  const faults: ConfigFault[] = checkAddresses(settings);
  const clientSecret = readReferred('clientSecret', settings.clientSecret, input, faults) ?? new Secret('');
  const refreshToken =
    settings.refreshToken && readReferred('refreshToken', settings.refreshToken, input, faults);
  const tokenKey = readTokenKey(settings, input, faults);
  const caBundle = readCaBundle(settings, input.folder, faults);
  if (limits === undefined) return { faults };
  return {
    service: {
      baseUrl: settings.baseUrl,
      authUrl: settings.authUrl,
      companyHeader: settings.companyHeader,
      clientId: settings.clientId,
      clientSecret,
      grant: settings.grant,
      timeouts: {
        headersMs: settings.timeouts.headers,
        bodyMs: settings.timeouts.body,
        totalMs: settings.timeouts.total,
      },
      maxResponseBytes: settings.maxAnswerBytes,
      connections: settings.connections,
      maxWaitMs: limits.maxWait,
      authCountsAgainstLimit: limits.countAuthentication,
      ...(refreshToken === undefined ? {} : { initialRefreshToken: refreshToken }),
      allowInsecureLoopback: settings.allowInsecureLoopback,
      ...(caBundle === undefined ? {} : { caBundle }),
    },
    ...(tokenKey === undefined ? {} : { tokenKey }),
    faults,
  };
}

/**
 * Takes the section as it was written: an address is judged although something else of the section is wrong.
 */
function checkAddresses(raw: unknown): ConfigFault[] {
  const settings = typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>) : {};
  return ['baseUrl', 'authUrl'].flatMap(key => {
    const address = webAddress.safeParse(settings[key]);
    if (!address.success) return [];
    const { protocol, hostname } = new URL(address.data);
    if (protocol === 'https:') return [];
    const path = `service.${key}`;
    if (!isLoopbackHost(hostname)) {
      return [{ path, text: 'expected an https:// address' }];
    }
    return settings.allowInsecureLoopback === true
      ? []
      : [
          {
            path,
            text: 'expected an https:// address; for this machine itself set service.allowInsecureLoopback',
          },
        ];
  });
}

function readReferred(
  key: string,
  reference: SecretReference,
  input: ConfigReading,
  faults: ConfigFault[],
): Secret | undefined {
  const outcome = readSecret(reference, input.environment, input.folder);
  if ('value' in outcome) return createSecret(outcome.value, reference, input.folder);
  if (input.secrets === 'read') faults.push({ path: `service.${key}`, text: outcome.fault });
  return undefined;
}

function readTokenKey(
  settings: ServiceSettings,
  input: ConfigReading,
  faults: ConfigFault[],
): Buffer | undefined {
  if (settings.tokenKey === undefined) return undefined;
  const text = readReferred('tokenKey', settings.tokenKey, input, faults);
  const key = text && parseKey(text.reveal());
  if (text !== undefined && key === undefined) {
    faults.push({ path: 'service.tokenKey', text: 'expected 32 bytes, as 64 hexadecimal digits or base64' });
  }
  return key;
}

function readCaBundle(settings: ServiceSettings, folder: string, faults: ConfigFault[]): string | undefined {
  if (settings.caBundle === undefined) return undefined;
  try {
    const pem = readFileSync(resolve(folder, settings.caBundle), 'utf8');
    if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
    faults.push({ path: 'service.caBundle', text: 'expected a PEM file with certificates' });
  } catch (error) {
    const code = codeOf(error);
    faults.push({ path: 'service.caBundle', text: `the file cannot be read (${String(code)})` });
  }
  return undefined;
}
