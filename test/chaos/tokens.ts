// Expiries of one login's tokens in two processes at once, with answers lost and processes killed around each
// exchange. Judged by the authentication host's own log: no refresh token is sent twice unless its fate is
// unknown, never two exchanges at a time, and it always goes on or asks for a login.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '../../activities/service/secret';
import { completeServiceConfig } from '../../activities/service/service-config';
import { FileTokenStore } from '../../activities/service/tokens/file-token-store';
import { TokenSource } from '../../activities/service/tokens/token-source';
import { Dice } from './bad-input-mutate';
import type { ChaosPart, PartOptions, PartResult, Violation } from './part';
import { TokenProcesses } from './tokens-processes';
import { type TokenFault, TokenServer, type TokenUse } from './tokens-server';

const EXPIRIES = { short: 120, long: 500 } as const;
const PROCESSES = 2;
/** Asked so often after an expiry, everybody has a token or knows that a login is needed. */
const MOST_TRIES = 8;
/** A refresh token of unknown fate is sent once more. */
const MOST_UNKNOWN_SENDS = 2;
const FAULTS: readonly TokenFault[] = [
  'none',
  'none',
  'none',
  'lost-answer',
  'cut-answer',
  'cut-request',
  'unavailable',
  'bad-gateway',
  'page',
  'kill-before',
  'kill-between',
  'kill-after',
];

export const tokens: ChaosPart = {
  name: 'tokens',
  about: 'expiries in two processes, kills around the exchange, lost answers; judged by the log of the host',
  run: runTokens,
};

interface Night {
  readonly server: TokenServer;
  readonly processes: TokenProcesses;
  readonly folder: string;
  readonly violations: Violation[];
  readonly faults: Map<string, number>;
  generation: number;
  logins: number;
}

async function runTokens(options: PartOptions): Promise<PartResult> {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-tokens-'));
  const server = new TokenServer();
  await server.listen();
  const processes = new TokenProcesses(options.dist, join(folder, 'tokens'), server.url, server.login());
  server.kill = async name => await processes.kill(name);
  server.isAlive = name => processes.isAlive(name);
  const night: Night = {
    server,
    processes,
    folder: join(folder, 'tokens'),
    violations: [],
    faults: new Map(),
    generation: 0,
    logins: 0,
  };
  const dice = new Dice(options.seed);
  const expiries = EXPIRIES[options.form];
  try {
    await processes.fill(PROCESSES);
    for (let round = 0; round < expiries; round++)
      await expire(night, dice, `seed ${options.seed} expiry ${round}`);
  } finally {
    await processes.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return {
    cases: expiries,
    violations: [...night.violations, ...judgeUses(server.uses, options.seed)],
    figures: {
      exchanges: server.uses.filter(({ isConsumed }) => isConsumed).length,
      'sent without an answer': server.uses.filter(({ told }) => told === 'unknown').length,
      kills: processes.kills,
      'logins needed': night.logins,
      faults: [...night.faults].map(([fault, count]) => `${fault} ${count}`).join(', '),
    },
  };
}

/**
 * One expiry: all processes ask at once, a fault strikes, and then they ask until
 * all of them know where they are.
 */
async function expire(night: Night, dice: Dice, where: string): Promise<void> {
  const { server, processes } = night;
  // Often one, now and then several in a row: a refresh token of unknown fate meets the next fault.
  const faults = Array.from({ length: dice.pick([1, 1, 1, 3]) }, () => dice.pick(FAULTS));
  const randomKillMs = dice.below(6) === 0 ? dice.below(40) : undefined;
  for (const fault of faults) night.faults.set(fault, (night.faults.get(fault) ?? 0) + 1);
  if (randomKillMs !== undefined) night.faults.set('random kill', (night.faults.get('random kill') ?? 0) + 1);
  const usesBefore = server.uses.length;
  server.faults = faults;
  const victim = dice.pick(processes.names);
  const timer =
    randomKillMs === undefined ? undefined : setTimeout(() => void processes.kill(victim), randomKillMs);
  const outcome = await askUntilKnown(night, where);
  clearTimeout(timer);
  server.faults = [];
  if (outcome === 'login') {
    const uses = server.uses.slice(usesBefore);
    const isForAReason = uses.some(({ told }) => told === 'unknown') || processes.kills > 0;
    const stored = readStored(night.folder);
    if (!isForAReason) say(night, '17 a login is asked for only when needed', where, JSON.stringify(uses));
    if (stored?.burnt == null)
      say(night, '17 a burnt login is noted', where, JSON.stringify(Object.keys(stored ?? {})));
    await logIn(night);
    if ((await askUntilKnown(night, where)) !== 'token')
      say(night, '15 a login lets it go on', where, 'still no token');
  }
  if (outcome === 'stuck')
    say(
      night,
      '15 it recovers or waits for a login',
      where,
      `not after ${MOST_TRIES} tries (${faults.join(', ')})`,
    );
}

/** `token`: all have one newer than before. `login`: all say that a person must log in. */
async function askUntilKnown(night: Night, where: string): Promise<'token' | 'login' | 'stuck'> {
  const before = night.generation;
  for (let turn = 0; turn < MOST_TRIES; turn++) {
    const reports = await Promise.all(
      night.processes.names.map(async name => {
        const report = await night.processes.ask(name, { kind: 'refresh', generation: before });
        if (report?.accessToken !== undefined)
          checkStored(night, where, report.accessToken, report.generation ?? 0);
        return report;
      }),
    );
    const known = reports.filter(report => report !== undefined);
    for (const { code } of known) {
      if (code !== undefined && code !== 'LOGIN_REQUIRED' && code !== 'SERVICE_UNAVAILABLE')
        say(night, 'a typed error', where, code);
    }
    await night.processes.fill(PROCESSES);
    if (known.length < PROCESSES) continue;
    if (known.every(({ code }) => code === 'LOGIN_REQUIRED')) return 'login';
    if (known.every(({ generation = 0 }) => generation > before)) {
      night.generation = Math.max(...known.map(({ generation = 0 }) => generation));
      return 'token';
    }
  }
  return 'stuck';
}

/** A token that may be used is on disk already: this one, or one that came after it. */
function checkStored(night: Night, where: string, accessToken: string, generation: number): void {
  const stored = readStored(night.folder);
  const isThere =
    stored !== undefined && (stored.accessToken === accessToken || stored.generation > generation);
  if (!isThere)
    say(
      night,
      '17 stored before it is used',
      where,
      `generation ${generation}, stored ${stored?.generation}`,
    );
}

interface Stored {
  readonly accessToken: string | null;
  readonly generation: number;
  readonly burnt: unknown;
}

function readStored(folder: string): Stored | undefined {
  const name = readdirSync(folder).find(entry => entry.endsWith('.json'));
  return name === undefined ? undefined : (JSON.parse(readFileSync(join(folder, name), 'utf8')) as Stored);
}

/** A person logs in, in a process of their own. */
async function logIn(night: Night): Promise<void> {
  night.logins += 1;
  const { url } = night.server;
  const config = completeServiceConfig({
    baseUrl: url,
    authUrl: url,
    clientId: 'client-1',
    clientSecret: new Secret('person'),
    grant: 'refresh_token',
    allowInsecureLoopback: true,
  });
  const source = new TokenSource({ config, store: new FileTokenStore({ folder: night.folder, config }) });
  await source.signIn({ code: new Secret('code'), redirectUri: 'urn:ietf:wg:oauth:2.0:oob' });
  await source.close();
}

function say(night: Night, invariant: string, where: string, what: string): void {
  night.violations.push({ invariant, case: where, what: what.slice(0, 500) });
}

/** What the host's log must never show. */
function judgeUses(uses: readonly TokenUse[], seed: number): Violation[] {
  const violations: Violation[] = [];
  const byToken = new Map<string, TokenUse[]>();
  for (const use of uses) byToken.set(use.refreshToken, [...(byToken.get(use.refreshToken) ?? []), use]);
  for (const [token, sent] of byToken) {
    const where = `seed ${seed} ${token}`;
    const sendings = sent.map(({ process, fault, told }) => `${process} ${fault} ${told}`).join('; ');
    if (sent.some(({ isKnown }) => isKnown)) {
      violations.push({ invariant: '17 sent again although its fate is known', case: where, what: sendings });
    }
    // What was turned away at the door was not looked at, and may come again.
    const heard = sent.filter(({ told }) => told !== 'not-used');
    const consumedAt = heard.findIndex(({ isConsumed }) => isConsumed);
    if (consumedAt >= 0 && heard.length - consumedAt - 1 > 1) {
      violations.push({ invariant: '17 a burnt token is sent once at most', case: where, what: sendings });
    }
    if (heard.length > MOST_UNKNOWN_SENDS)
      violations.push({ invariant: '17 sent more than twice', case: where, what: sendings });
  }
  for (const use of uses.filter(({ isSecondInFlight }) => isSecondInFlight)) {
    violations.push({
      invariant: '17 one exchange at a time',
      case: `seed ${seed} ${use.refreshToken}`,
      what: use.process,
    });
  }
  return violations;
}
