// A command's own way to the service: the adapters a worker has, with the same token
// store and lock, closed at the end.
import { mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { systemClock } from '../../activities/host/clock';
import { isServiceError, type ServiceError } from '../../activities/service/errors';
import type { ServiceConfig } from '../../activities/service/service-config';
import { FileTokenStore } from '../../activities/service/tokens/file-token-store';
import { createServiceAdapters, type ServiceAdapters } from '../../workers/adapters';
import type { Config } from '../../workers/config/config';
import { createLogger } from '../../workers/logging';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { serviceOf } from '../session/stand-in';
import { patientSender } from './patient-sender';

export interface ServiceSession extends ServiceAdapters {
  readonly service: ServiceConfig;
}

/**
 * Runs `work` with the configured service, or with the stand-in of a running `run`; errors of the service
 * become words for people.
 */
export async function withService<Result>(
  config: Config,
  work: (session: ServiceSession) => Promise<Result>,
): Promise<Result> {
  const service = serviceOf(config);
  if (service === undefined) {
    throw new CliError(
      'No service is configured, and no stand-in runs here. Start Drawbridge, add a "service" section to the configuration, or give --service, --auth and --client-id.',
      EXIT_CODES.usage,
    );
  }
  mkdirSync(config.tokens.folder, { recursive: true, mode: 0o700 });
  checkEnvironments(config, service);
  const adapters = createServiceAdapters(config, service, createLogger({ level: 'silent' }));
  try {
    const tell = (untilMs: number): void => {
      const seconds = Math.ceil(Math.max(1_000, untilMs - systemClock.wallMs()) / 1_000);
      process.stderr.write(`The rate limit is spent; goes on in ${seconds} s (Ctrl-C ends).\n`);
    };
    return await work({ ...adapters, client: patientSender(adapters.client, { tell }), service });
  } catch (error) {
    throw isServiceError(error) ? toCliError(error) : error;
  } finally {
    await adapters.close();
  }
}

/**
 * Refuses credentials that another environment uses already: production and sandbox have credentials of their
 * own, so one of the two names is a mistake.
 */
export function checkEnvironments(config: Config, service: ServiceConfig): void {
  const { folder, environment } = config.tokens;
  const name = basename(new FileTokenStore({ folder, config: service }).path);
  const others = readdirSync(folder, { withFileTypes: true }).filter(
    entry => entry.isDirectory() && entry.name !== environment,
  );
  for (const other of others) {
    if (!readdirSync(join(folder, other.name)).includes(name)) continue;
    throw new CliError(
      `The client id "${service.clientId}" at ${service.authUrl} is in use as environment "${other.name}", but the configuration calls it "${environment}". ` +
        `Correct "environment" or the addresses. If it was "${other.name}" by mistake, remove ${join(folder, other.name, name)}.`,
      EXIT_CODES.usage,
    );
  }
}

const away = (why: string) => `The service does not answer as it should: ${why}. Try again later.`;

/** In words for people; of all others it is said that the service refused. */
const WORDS: Readonly<Partial<Record<ServiceError['code'], (why: string) => string>>> = {
  LOGIN_REQUIRED: why => `Nobody is signed in: ${why}. Run "login", or check client id and secret.`,
  TOKEN_REJECTED: why =>
    `The service does not take the token it gave: ${why}. Are the two addresses of one environment?`,
  ACCESS_DENIED: why => `The account lacks a permission: ${why}.`,
  SERVICE_UNAVAILABLE: away,
  INTERNAL_ERROR: away,
  RATE_LIMITED: away,
  MISCONFIGURED: why => `The configuration cannot work: ${why}.`,
};

function toCliError(error: ServiceError): CliError {
  const words = WORDS[error.code]?.(error.message) ?? `The service refused: ${error.message}.`;
  return new CliError(words, error.code === 'MISCONFIGURED' ? EXIT_CODES.usage : EXIT_CODES.failed, error);
}
