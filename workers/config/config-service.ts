// From the service's section of the config file to what the service client works with, secrets read.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { codeOf } from '../../activities/host/error-code';

import { Secret } from '../../activities/service/secret';
import { isLoopbackHost, type ServiceConfig } from '../../activities/service/service-config';
import type { RightParts } from './config-schema';
import { readReferred, readReferredKey } from './config-secrets';
import type { ConfigFault, ConfigReading } from './config-types';
import { webAddress } from './config-values';
import type { ServiceSettings } from './service-section';

export interface ServiceReading {
  readonly service?: ServiceConfig;
  readonly tokenKey?: Buffer;
  readonly faults: readonly ConfigFault[];
}

/**
 * Reads the section's secrets; what goes wrong then is reported together with all other faults.
 * @param written the section as it stands in the file.
 */
export function readService(
  { service: settings, limits }: RightParts,
  written: unknown,
  input: ConfigReading,
): ServiceReading {
  if (settings === undefined) return { faults: checkAddresses(written) };
  const faults: ConfigFault[] = checkAddresses(settings);
  const clientSecret =
    readReferred('service.clientSecret', settings.clientSecret, input, faults) ?? new Secret('');
  const refreshToken =
    settings.refreshToken && readReferred('service.refreshToken', settings.refreshToken, input, faults);
  const tokenKey = settings.tokenKey && readReferredKey('service.tokenKey', settings.tokenKey, input, faults);
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
