// Judges what was found of this host and of the configuration.
import { Seals } from '../../activities/share/files/seals';
import type { Config } from '../../workers/config/config';
import { ConfigError } from '../../workers/config/config-faults';
import { requireShare, requireWordForProduction } from '../session/command-config';
import { toSizeText } from '../session/terminal-text';
import { type Finding, judgesOf, toWhy } from './finding';
import type { KeyFacts, StateFolder } from './look-at-host';

/** As `engines` of package.json has it. */
export const LEAST_NODE = '20.19';
/** A batch of a thousand files keeps some MiB here; logs and Temporal's database far more. */
const LITTLE_ROOM = 1024 ** 3;
const NO_ROOM = 64 * 1024 ** 2;

/** @param version as `process.versions.node` has it. */
export function judgeNode(version: string): Finding {
  const { ok, wrong } = judgesOf('Node');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = LEAST_NODE.split('.').map(Number);
  const isNewEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  return isNewEnough
    ? ok(`version ${version}`)
    : wrong(`version ${version} is too old.`, `Install Node ${LEAST_NODE} or a newer one.`);
}

/** One line for each fault, as `config validate` tells them. */
export function judgeConfigError(error: unknown): readonly Finding[] {
  const { wrong } = judgesOf('configuration');
  if (!(error instanceof ConfigError)) return [wrong(toWhy(error))];
  const todo = `Correct ${error.source}; \`config validate\` checks it again.`;
  return error.faults.map(({ path, text }) => wrong(`${path === '' ? '' : `${path}: `}${text}`, todo));
}

/**
 * @param isEmbedded no Temporal is configured, so that `run` starts one of its own.
 * @param unread of the other secrets, those that cannot be read.
 */
export function judgeConfig(
  config: Config,
  isEmbedded: boolean,
  unread: readonly Finding[],
): readonly Finding[] {
  const { ok, wrong } = judgesOf('configuration');
  const { openidFault } = config.console;
  const faults = [...unread];
  if (openidFault !== undefined) {
    const todo =
      'Put it right where the page is served: without it neither `console` starts nor a `run` with the page.';
    faults.push(wrong(`${openidFault.path}: ${openidFault.text}`, todo));
  }
  for (const check of [requireShare, ...(isEmbedded ? [requireWordForProduction] : [])]) {
    try {
      check(config);
    } catch (error) {
      faults.push(wrong(toWhy(error)));
    }
  }
  if (faults.length > 0) return faults;
  const { source, service, shares } = config;
  const about = service === undefined ? 'no service of your own (the stand-in)' : service.baseUrl;
  const count = shares.length === 0 ? 'the share of its own' : `${shares.length} of your shares`;
  return [ok(`${source} and its secrets can be read: ${about}, ${count}.`)];
}

export function judgeState(state: StateFolder): Finding {
  const { ok, look, wrong } = judgesOf('state folder');
  const { folder, freeBytes } = state;
  if (state.kind === 'missing') {
    return look(
      `${folder} is not there: nothing was started with this configuration yet.`,
      'If something was, give --data-dir or "stateDir" as it was then.',
    );
  }
  if (state.kind === 'no-folder')
    return wrong(`${folder} is no folder, or a link.`, 'Name a folder of a local disk in "stateDir".');
  if (state.kind === 'unusable') {
    const todo =
      'Run this as the account that Drawbridge runs under; the folder is to be that one’s, with mode 0700.';
    return wrong(`${folder} cannot be read and written (${state.code}).`, todo);
  }
  if (state.isForeign)
    return look(`${folder} belongs to another user.`, 'Run this as the account that Drawbridge runs under.');
  if (state.isOpen)
    return look(`${folder} can be seen by other users of this machine.`, 'Set its mode to 0700.');
  if (freeBytes === undefined) return ok(`${folder} can be written, and is ours alone.`);
  const room = `${folder} has ${toSizeText(freeBytes)} left`;
  if (freeBytes < NO_ROOM) return wrong(`${room}: nothing can be noted any more.`, 'Make room there.');
  if (freeBytes < LITTLE_ROOM)
    return look(`${room}.`, 'Make room there before notes, logs and tokens cannot be written.');
  return ok(`${room}, can be written, and is ours alone.`);
}

export function judgeKey({ key, from, why }: KeyFacts): Finding {
  const { ok, look, wrong } = judgesOf('key of the shares');
  if (why !== undefined) {
    const todo = 'Put the key back as it was (docs/cluster.md): what it sealed can be read by no other.';
    return wrong(why, todo);
  }
  if (key === undefined) {
    const todo =
      'The first start makes one. If another host works on these shares, give this one its key before (docs/cluster.md).';
    return look('This host has none.', todo);
  }
  const where = from === 'setting' ? 'from the setting "shareKey"' : 'in the state folder';
  return ok(`${keyIdOf(key)}, ${where}.`);
}

/** Names the key without telling anything of it. */
function keyIdOf(key: Buffer): string {
  return new Seals(key).keyId;
}
