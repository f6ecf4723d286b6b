// The configuration: one JSON file, environment and command-line overrides, secrets from
// elsewhere; every fault at once.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf } from '../../activities/host/error-code';
import { troubleOf } from '../../activities/host/file-trouble';
import type { Secret } from '../../activities/service/secret';
import type { ServiceConfig } from '../../activities/service/service-config';
import type { ShareConfig } from '../../activities/share/share-config';
import { checkTogether } from './config-checks';
import { applyEnvironment } from './config-environment';
import { ConfigError, toFaults, valueAt } from './config-faults';
import { findRightParts, type Settings, settingsSchema } from './config-schema';
import { readReferred, readReferredKey } from './config-secrets';
import { readService } from './config-service';
import { toShareConfig } from './config-share';
import type { ConfigFault, Environment } from './config-types';
import { readWebhooks, type WebhookConfig } from './config-webhooks';

const DEFAULT_FILE = 'drawbridge.json';
// Settings nest six levels, templates of inputs some more; what goes far beyond would only exhaust the stack.
const MOST_LEVELS = 50;

export interface Config {
  /** The file it was read from, or a word for the built-in defaults. */
  readonly source: string;
  /** As written, with every default filled in; holds references to secrets, never a secret. */
  readonly settings: Settings;
  /** Environment variables that took effect, with the setting each one set. */
  readonly overridden: Readonly<Record<string, string>>;
  /** Absent when no service is configured: `run` then starts the stand-in. */
  readonly service?: ServiceConfig;
  /** Tokens of separate environments never meet in one file. */
  readonly tokens: { readonly folder: string; readonly environment: string; readonly key?: Buffer };
  readonly temporal: Settings['temporal'];
  readonly shares: readonly ShareConfig[];
  readonly worker: Settings['worker'];
  readonly limits: Settings['limits'];
  readonly logging: Settings['logging'];
  readonly metrics?: Settings['metrics'];
  readonly console: Settings['console'] & {
    /** The client's, for OpenID Connect; absent also where it cannot be read: only the page needs it. */
    readonly openidSecret?: Secret;
    /** Why it cannot be read. */
    readonly openidFault?: ConfigFault;
    /** Absolute. */
    readonly usersFile: string;
  };
  /** Absent: no events are wanted. */
  readonly webhooks?: WebhookConfig;
  /** What is ours on the shares is sealed with it; absent: with the one in the state folder. */
  readonly shareKey?: Buffer;
  /** Absolute; on a local disk. */
  readonly stateDir: string;
}

export interface LoadConfigInput {
  /** `--config`; absent: DRAWBRIDGE_CONFIG, then ./drawbridge.json, then the built-in defaults. */
  readonly path?: string | undefined;
  readonly environment?: Environment;
  /** Settings from the command line, by section; they win over everything. */
  readonly flags?: { readonly service?: Readonly<Record<string, unknown>>; readonly stateDir?: string };
  /**
   * `leave` for commands that never talk to the service: a secret that cannot be had is no fault then. `all`:
   * one that only the page needs is a fault as well.
   */
  readonly secrets?: 'all' | 'read' | 'leave';
  readonly workingFolder?: string;
}

/** Reads, checks and assembles the whole configuration, or throws one ConfigError that lists every fault. */
export function loadConfig(input: LoadConfigInput = {}): Config {
  const environment = input.environment ?? process.env;
  const file = findFile(input, environment);
  const source = file ?? 'the built-in configuration';
  const folder = file === undefined ? (input.workingFolder ?? process.cwd()) : dirname(file);
  refuseUnsafeTls(environment);
  const overrides = applyEnvironment(file === undefined ? {} : readJson(file), environment);
  checkDepth(source, overrides.merged);
  const raw = withFlags(overrides.merged, input.flags);

  const parsed = settingsSchema.safeParse(raw);
  const faults: ConfigFault[] = [...overrides.faults];
  if (!parsed.success) faults.push(...toFaults(parsed.error.issues, raw));
  const reading = { environment, folder, secrets: input.secrets === 'leave' ? 'leave' : 'read' } as const;
  const right = parsed.success ? parsed.data : findRightParts(raw);
  const service = readService(right, valueAt(raw, ['service']), reading);
  const webhooks = readWebhooks(right.webhooks, reading);
  faults.push(...service.faults, ...webhooks.faults);
  // Read even where other secrets are left: watchers need this one, too.
  const shareKey =
    right.shareKey && readReferredKey('shareKey', right.shareKey, { ...reading, secrets: 'read' }, faults);
  const { clientSecret } = right.console?.access.openid ?? {};
  const ofPage: ConfigFault[] = [];
  const openidSecret =
    clientSecret &&
    readReferred('console.access.openid.clientSecret', clientSecret, { ...reading, secrets: 'read' }, ofPage);
  if (input.secrets === 'all') faults.push(...ofPage);
  faults.push(...checkTogether(right, folder));
  if (!parsed.success || faults.length > 0) throw new ConfigError(source, faults);

  const settings = parsed.data;
  const { file: usersFile } = settings.console.access.users ?? {};
  const [openidFault] = ofPage;
  const stateDir = resolve(folder, settings.stateDir);
  return {
    source,
    settings,
    overridden: overrides.applied,
    ...(service.service === undefined ? {} : { service: service.service }),
    tokens: {
      folder: resolve(stateDir, 'tokens'),
      environment: settings.service?.environment ?? 'stand-in',
      ...(service.tokenKey === undefined ? {} : { key: service.tokenKey }),
    },
    temporal: withAbsoluteFiles(settings.temporal, folder, stateDir),
    shares: settings.shares.map(share => toShareConfig(share, folder)),
    worker: settings.worker,
    limits: settings.limits,
    logging: {
      ...settings.logging,
      ...(settings.logging.file === undefined ? {} : { file: resolve(folder, settings.logging.file) }),
    },
    console: {
      ...settings.console,
      usersFile:
        usersFile === undefined ? resolve(stateDir, 'console-users.json') : resolve(folder, usersFile),
      ...(openidSecret === undefined ? {} : { openidSecret }),
      ...(openidFault === undefined ? {} : { openidFault }),
    },
    ...(settings.metrics === undefined ? {} : { metrics: settings.metrics }),
    ...(webhooks.webhooks === undefined ? {} : { webhooks: webhooks.webhooks }),
    ...(shareKey === undefined ? {} : { shareKey }),
    stateDir,
  };
}

/** With this variable Node takes any certificate, also a forged one, for every connection of the process. */
function refuseUnsafeTls(environment: Environment): void {
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return;
  throw new ConfigError('the environment', [
    {
      path: 'NODE_TLS_REJECT_UNAUTHORIZED',
      text: 'is 0, with which any certificate would be taken: unset it, and name the authority in service.caBundle',
    },
  ]);
}

function findFile(input: LoadConfigInput, environment: Environment): string | undefined {
  const folder = input.workingFolder ?? process.cwd();
  const named = input.path ?? environment.DRAWBRIDGE_CONFIG;
  if (named !== undefined && named !== '') return resolve(folder, named);
  const usual = resolve(folder, DEFAULT_FILE);
  return existsSync(usual) ? usual : undefined;
}

function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const isThere = troubleOf(error) !== 'gone';
    const why = isThere ? `it cannot be read (${String(codeOf(error))})` : 'there is no such file';
    throw new ConfigError(file, [{ path: '', text: why }]);
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    // The parser's own message quotes the file, and with it what should not be quoted.
    throw new ConfigError(file, [{ path: '', text: `not valid JSON${describePlace(text, error)}` }]);
  }
  checkDepth(file, content);
  return content;
}

function checkDepth(source: string, content: unknown): void {
  if (!isDeeper(content, MOST_LEVELS)) return;
  throw new ConfigError(source, [
    { path: '', text: `expected at most ${MOST_LEVELS} levels in one another` },
  ]);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some(inner => isDeeper(inner, levels - 1));
}

function describePlace(text: string, error: unknown): string {
  const position = /position (\d+)/.exec(error instanceof Error ? error.message : String(error))?.[1];
  if (position === undefined) return '';
  const before = text.slice(0, Number(position)).split('\n');
  return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

function withFlags(raw: unknown, flags: LoadConfigInput['flags']): unknown {
  if (flags === undefined || typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw;
  const content = raw as Record<string, unknown>;
  const given = Object.fromEntries(
    Object.entries(flags.service ?? {}).filter(([, value]) => value !== undefined),
  );
  return {
    ...content,
    ...(Object.keys(given).length === 0
      ? {}
      : { service: { ...(content.service as object | undefined), ...given } }),
    ...(flags.stateDir === undefined ? {} : { stateDir: flags.stateDir }),
  };
}

function withAbsoluteFiles(
  temporal: Settings['temporal'],
  folder: string,
  stateDir: string,
): Settings['temporal'] {
  return {
    ...temporal,
    ...(temporal.configFile === undefined ? {} : { configFile: resolve(folder, temporal.configFile) }),
    embedded: {
      ...temporal.embedded,
      database:
        temporal.embedded.database === undefined
          ? resolve(stateDir, 'temporal.db')
          : resolve(folder, temporal.embedded.database),
    },
  };
}
