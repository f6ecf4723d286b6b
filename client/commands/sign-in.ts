// `drawbridge login`, `logout` and `whoami`. No part of a token is ever shown.
import { createInterface } from 'node:readline/promises';
import { systemClock } from '../../activities/host/clock';
import { showTokenInfo } from '../../activities/service/endpoints/oauth';
import { showProjectUser } from '../../activities/service/endpoints/project-users';
import { isServiceError } from '../../activities/service/errors';
import { Secret } from '../../activities/service/secret';
import type { Config } from '../../workers/config/config';
import { wakeAfterLogin } from '../resume/wake-after-login';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { type AddCommand, portNumber, print } from '../session/command';
import { loadCommandConfig } from '../session/command-config';
import { withTemporal } from '../session/session';
import { sharesOf } from '../session/stand-in';
import { toTable, toVisible } from '../session/terminal-text';
import {
  authorizationAddress,
  type Grant,
  newState,
  newVerifier,
  OUT_OF_BAND,
  readPasted,
} from '../sign-in/authorization-address';
import { startCallbackServer } from '../sign-in/callback-server';
import { type ServiceSession, withService } from '../sign-in/service-session';

/** An authorization code lives ten minutes (specification, Limits); the person has as long. */
const PATIENCE_MS = 10 * 60_000;

export const addLoginCommand: AddCommand = (declared, globals) => {
  declared
    .option('--paste', 'paste the code by hand, for a machine without a browser')
    .option(
      '--port <port>',
      'port of 127.0.0.1 that the browser comes back to (default: a free one)',
      portNumber,
    )
    .action(async (options: { paste?: true; port?: number }) => {
      const config = loadCommandConfig(globals(), 'read');
      await withService(config, async session => {
        if (session.service.grant === 'client_credentials') {
          await signInAccount(config, session);
          return await wakeWaiting(config);
        }
        const verifier = newVerifier();
        const { redirectUri, code } = options.paste
          ? await askForCode(session, verifier)
          : await waitForBrowser(session, verifier, options.port ?? 0);
        const description = await session.tokens.signIn({
          code: new Secret(code),
          redirectUri,
          codeVerifier: verifier,
        });
        print(`Signed in to ${config.tokens.environment} (${session.service.baseUrl}).`);
        print(`The token is valid ${describeLifetime(description.expiresAtMs)}.`);
        await wakeWaiting(config);
      });
    });
};

export const addLogoutCommand: AddCommand = (declared, globals) => {
  declared
    .option('--force', 'forget the tokens here even when the service cannot be told')
    .action(async (options: { force?: true }) => {
      const config = loadCommandConfig(globals(), 'read');
      await withService(config, async ({ tokens, service }) => {
        const ended = await tokens.signOut({ evenIfUnreached: options.force === true });
        const where = `${config.tokens.environment} (${service.baseUrl})`;
        if (ended.tokens === 0) return print(`Nobody was signed in to ${where}.`);
        print(`Signed out of ${where}. The tokens here are removed.`);
        if (!ended.revoked) {
          print('The service could not be told: the tokens stay valid there until they expire.');
        }
        if (service.grant === 'client_credentials') {
          print(
            'A service account signs in again by itself. To stop it, withdraw its credentials at the service.',
          );
        }
      });
    });
};

export const addWhoamiCommand: AddCommand = (declared, globals) => {
  declared.option('--json', 'as JSON').action(async (options: { json?: true }) => {
    const config = loadCommandConfig(globals(), 'read');
    await withService(config, async session => {
      const facts = await whoIs(config, session);
      if (options.json === true) print(JSON.stringify(facts, undefined, 2));
      else
        print(toTable(Object.entries(facts).map(([key, value]) => [LABELS[key] ?? key, toVisible(value)])));
    });
  });
};

/**
 * Wakes the runs that wait for a login. The login stands even where Temporal cannot be reached from here:
 * then those runs look again by themselves, only later.
 */
async function wakeWaiting(config: Config): Promise<void> {
  try {
    await withTemporal(config, async session => {
      const { told, unanswered } = await wakeAfterLogin(session);
      if (told > 0)
        print(
          `${told} ${told === 1 ? 'run that waited for this goes' : 'runs that waited for this go'} on now.`,
        );
      if (unanswered > 0)
        print(
          `${unanswered} ${unanswered === 1 ? 'run' : 'runs'} did not answer: what waits for this looks again within the hour, or at once with "resume".`,
        );
    });
  } catch {
    print('Temporal does not answer here: batches that wait for this look again within the hour.');
  }
}

/** A service account needs no login; asking for a token shows whether its credentials work. */
async function signInAccount(config: Config, { tokens, service }: ServiceSession): Promise<void> {
  await tokens.current();
  const description = tokens.describe();
  print(
    `The service account ${service.clientId} works at ${config.tokens.environment} (${service.baseUrl}).`,
  );
  print(`The token is valid ${describeLifetime(description?.expiresAtMs ?? null)}.`);
  print('It signs in by itself; there is nothing to do. For a person, set service.grant to "refresh_token".');
}

async function waitForBrowser(
  { service }: ServiceSession,
  verifier: Secret,
  port: number,
): Promise<{ readonly redirectUri: string; readonly code: string }> {
  const state = newState();
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const server = await startCallbackServer({ port, state, signal });
  try {
    const { redirectUri } = server;
    print('Open this page in a browser on this machine and grant access:');
    print(
      `  ${authorizationAddress({ authUrl: service.authUrl, clientId: service.clientId, redirectUri, state, verifier })}`,
    );
    print(
      `Waiting for it to come back to ${redirectUri} (Ctrl-C ends; --paste for a machine without a browser) ...`,
    );
    const grant = await server.grant.catch((error: unknown) => {
      throw new CliError(
        'Nobody granted access within 10 minutes. Run "login" again.',
        EXIT_CODES.failed,
        error,
      );
    });
    return { redirectUri, code: requireCode(grant) };
  } finally {
    await server.close();
  }
}

async function askForCode(
  { service }: ServiceSession,
  verifier: Secret,
): Promise<{ readonly redirectUri: string; readonly code: string }> {
  const state = newState();
  const redirectUri = OUT_OF_BAND;
  print('Open this page in a browser and grant access:');
  print(
    `  ${authorizationAddress({ authUrl: service.authUrl, clientId: service.clientId, redirectUri, state, verifier })}`,
  );
  const terminal = createInterface({ input: process.stdin });
  try {
    print('Then paste the code here (valid once, for 10 minutes), and press Enter:');
    const line = await Promise.race([
      new Promise<string>(resolve => terminal.once('line', resolve)),
      new Promise<string>(resolve => terminal.once('close', () => resolve(''))),
    ]);
    return { redirectUri, code: requireCode(readPasted(line, state)) };
  } finally {
    terminal.close();
  }
}

function requireCode(grant: Grant): string {
  if (grant.kind === 'code') return grant.code;
  throw new CliError(
    grant.kind === 'denied'
      ? `Access was not granted (${grant.error}). Nobody is signed in.`
      : 'That is no authorization code of this sign-in. Run "login" again and copy the whole code.',
    EXIT_CODES.failed,
  );
}

const LABELS: Readonly<Record<string, string>> = {
  environment: 'Environment',
  service: 'Service',
  authentication: 'Authentication',
  application: 'Application',
  kind: 'Signed in as',
  user: 'User',
  scopes: 'Scopes',
  expires: 'Token valid',
  tokensEncrypted: 'Tokens encrypted',
};

async function whoIs(config: Config, session: ServiceSession): Promise<Readonly<Record<string, string>>> {
  const { client, service, tokens } = session;
  const { data } = await client.send(showTokenInfo, { params: {}, companyId: '' });
  const name =
    data.resourceOwnerId === null ? undefined : await nameOf(config, session, data.resourceOwnerId);
  const user = [name, data.resourceOwnerId === null ? undefined : `id ${data.resourceOwnerId}`]
    .filter(part => part !== undefined)
    .join(', ');
  return {
    environment: config.tokens.environment,
    service: service.baseUrl,
    authentication: service.authUrl,
    application: data.applicationId ?? service.clientId,
    kind: service.grant === 'client_credentials' ? 'a service account' : 'a person',
    user: user === '' ? 'not told by the service' : user,
    scopes: data.scopes.length === 0 ? 'none named' : data.scopes.join(' '),
    expires: describeLifetime(tokens.describe()?.expiresAtMs ?? null),
    tokensEncrypted: config.tokens.key === undefined ? 'no (readable by this user only)' : 'yes',
  };
}

/** Only known where the account is a user of a share's project; not knowing it is no fault. */
async function nameOf(
  config: Config,
  { client }: ServiceSession,
  userId: string,
): Promise<string | undefined> {
  for (const { project } of sharesOf(config)) {
    try {
      const { data } = await client.send(showProjectUser, {
        params: { projectId: project.projectId, userId },
        companyId: project.companyId,
      });
      return data.name;
    } catch (error) {
      if (!isServiceError(error)) throw error;
    }
  }
  return undefined;
}

function describeLifetime(expiresAtMs: number | null): string {
  if (expiresAtMs === null) return 'until the service says otherwise';
  const minutes = Math.max(0, Math.round((expiresAtMs - systemClock.wallMs()) / 60_000));
  return `for ${minutes} more minutes, then renewed by itself`;
}
