// Which way people sign in, by the configuration.
import type { Config } from '../../../workers/config/config';
import type { Logger } from '../../../workers/logging';
import { CliError, EXIT_CODES } from '../../session/cli-error';
import type { Access } from '../serve/access';
import { createLoopbackAccess } from './loopback';
import { createOpenidAccess } from './openid-access';
import { createPasswordAccess } from './password-access';
import { createProxyAccess } from './proxy-access';
import { Sessions } from './sessions';

/** The configuration was checked before: without a way to sign in, the page is for this machine only. */
export async function createAccess(
  config: Config,
  key: Buffer,
  logger: Logger,
  now: () => Date,
): Promise<Access> {
  const { access, publicOrigin, prefix, openidSecret, openidFault, usersFile } = config.console;
  const { users, proxy, openid, grants } = access;
  if (proxy !== undefined) return createProxyAccess(proxy, grants);
  if (users === undefined && openid === undefined) return createLoopbackAccess();
  const sessions = await Sessions.open({
    stateDir: config.stateDir,
    idleMs: access.idle,
    longestMs: access.longest,
    prefix,
    isSecure: publicOrigin?.startsWith('https:') ?? false,
    key,
    now,
  });
  if (users !== undefined)
    return await createPasswordAccess({ file: usersFile, grants, sessions, logger, now });
  if (openid === undefined || publicOrigin === undefined) throw new Error('No way to sign in is configured');
  if (openidFault !== undefined)
    throw new CliError(`${openidFault.path}: ${openidFault.text}.`, EXIT_CODES.usage);
  const clientSecret = openidSecret?.reveal();
  return createOpenidAccess({
    settings: openid,
    clientSecret,
    grants,
    sessions,
    publicOrigin,
    prefix,
    key,
    logger,
    now,
  });
}
