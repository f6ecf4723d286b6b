// Configurations with anything wrong: either one that works, or one error that
// names its faults, and nothing else.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completeServiceConfig } from '../../activities/service/service-config';
import { checkShareConfig } from '../../activities/share/share-config';
import { type Config, loadConfig } from '../../workers/config/config';
import { describeThrown, type KindResult, type KindRun, Tally } from './bad-input-kind';
import { Dice, type Json, MEMBER_NAMES, oddValue, spoilBytes, spoilJson, toText } from './bad-input-mutate';

const SECRET = 'canary-config-secret-5d20';
/** A message that people read. */
const MOST_MESSAGE = 200_000;
/** However large the file: people wait for this command. */
const MOST_MS = 2_000;

const VALID: Json = {
  service: {
    environment: 'sandbox',
    baseUrl: 'https://api.example.com',
    authUrl: 'https://login.example.com/prefix',
    companyHeader: 'Service-Company-Id',
    clientId: 'client-1',
    clientSecret: { env: 'SECRET' },
    grant: 'refresh_token',
    refreshToken: { env: 'SECRET' },
    tokenKey: { env: 'KEY' },
    timeouts: { headers: '10s', body: '1m', total: '2m' },
    maxAnswerBytes: '5MiB',
    connections: 4,
  },
  temporal: { address: 'localhost:7233', namespace: 'default', embedded: { port: 7233, uiPort: 8233 } },
  shares: [
    {
      name: 'tender',
      folder: './share',
      project: { companyId: 5001, projectId: '7001' },
      drop: 'in',
      settle: '5s',
      batch: { maxFiles: 100, maxBytes: '5GiB', quiet: '3s', maxOpen: 8 },
      fileNamePattern: '^(?<number>[^_]+)_(?<revision>[^_.]+)',
      defaults: { Type: 'Document', Discipline: ['A', 'B'] },
      conflict: { kind: 'terminate', reason: 'superseded', status: 'Superseded' },
      missing: 'hold',
      hold: '7d',
      analysis: { firstLook: '5s', every: '8s', typical: 28000, for: '3m' },
    },
    { name: 'second', folder: './other', project: { companyId: '1', projectId: '2' } },
  ],
  worker: { maxConcurrentActivities: 40, shutdownGrace: '150s' },
  limits: { maxWait: '15s', countAuthentication: true },
  logging: { level: 'info', file: 'log/drawbridge.log' },
  metrics: { address: '127.0.0.1:9464' },
  webhooks: {
    secret: { env: 'SECRET' },
    destinationUrl: 'https://hooks.example.com/webhooks',
    scopes: [{ companyId: 5001, projectId: 7001 }],
    triggers: [
      {
        name: 'look',
        resource: 'Observations',
        events: ['create'],
        start: { workflow: 'webhookEventWorkflow', input: { id: '{resourceId}', deep: [{ a: 1 }] } },
      },
    ],
  },
  stateDir: './state',
};

const OVERRIDES = [
  'DRAWBRIDGE_SERVICE__BASE_URL',
  'DRAWBRIDGE_SERVICE__TIMEOUTS__TOTAL',
  'DRAWBRIDGE_SHARES__0__DEFAULTS__CONSTRUCTOR',
  'DRAWBRIDGE_SHARES__TENDER__FOLDER',
  'DRAWBRIDGE_SHARES__7__FOLDER',
  'DRAWBRIDGE_SHARES',
  'DRAWBRIDGE___PROTO____X',
  'DRAWBRIDGE_CONSTRUCTOR__X',
  'DRAWBRIDGE_',
  'DRAWBRIDGE___',
  'DRAWBRIDGE_WORKER__MAX_CONCURRENT_ACTIVITIES',
];

/** Loads spoiled configurations as the product does, from files. */
export async function tryConfigs(run: KindRun): Promise<KindResult> {
  const dice = new Dice(run.seed);
  const tally = new Tally('config');
  const file = join(run.folder, 'drawbridge.json');
  const key = Buffer.alloc(32, 7).toString('hex');
  writeFileSync(file, toText(VALID));
  const refused = tryOne(tally, 'valid', file, { SECRET: SECRET.padEnd(20, 'x'), KEY: key });
  // All the others would be refused for the same reason, whatever is spoiled in them.
  if (refused !== undefined) tally.violate('what is valid is taken', 'valid', describeThrown(refused));
  for (let turn = 0; turn < run.cases; turn++) {
    const isLarge = turn % 50 === 0;
    writeFileSync(file, spoilFile(dice, isLarge));
    const environment: Record<string, string> = {
      SECRET: dice.below(20) === 0 ? '' : SECRET,
      KEY: dice.below(20) === 0 ? 'short' : key,
    };
    if (dice.below(4) === 0) environment[dice.pick(OVERRIDES)] = toText(oddValue(dice));
    tryOne(tally, `seed ${run.seed} turn ${turn}`, file, environment);
  }
  for (const name of MEMBER_NAMES) {
    if (Object.hasOwn(Object.prototype, 'polluted'))
      tally.violate('no crash', name, 'Object.prototype was changed');
  }
  return tally.result();
}

function spoilFile(dice: Dice, isLarge: boolean): Buffer {
  switch (dice.below(8)) {
    case 0:
      return spoilBytes(dice, Buffer.from(toText(VALID)));
    case 1:
      return Buffer.from(toText(oddValue(dice, true)));
    case 2: {
      if (!isLarge) break;
      const many = Array.from({ length: 3_000 }, () => [randomUUID(), 1]);
      return Buffer.from(JSON.stringify({ ...(VALID as object), ...Object.fromEntries(many) }));
    }
    case 3:
      if (isLarge) return Buffer.from(JSON.stringify({ ...(VALID as object), ['k'.repeat(300_000)]: 1 }));
      break;
    default:
  }
  return Buffer.from(toText(spoilJson(dice, VALID, isLarge)));
}

/** @returns why it was refused. */
function tryOne(tally: Tally, where: string, path: string, environment: Record<string, string>): unknown {
  const began = process.cpuUsage();
  let refused: unknown;
  try {
    const config = loadConfig({ path, environment });
    const faults = faultsOfUse(config);
    if (faults.length > 0) tally.violate('a valid config works', where, faults.join('; '));
    tally.ended('valid');
  } catch (error) {
    refused = error;
    judgeError(tally, where, error);
  }
  // Of the processor: nothing else is waited for here, and the machine has other work.
  const { user, system } = process.cpuUsage(began);
  const tookMs = (user + system) / 1_000;
  if (tookMs > MOST_MS) tally.violate('no hang', where, `took ${Math.round(tookMs)} ms`);
  return refused;
}

function judgeError(tally: Tally, where: string, error: unknown): void {
  const { code, message, faults } = (error ?? {}) as { code?: unknown; message?: unknown; faults?: unknown };
  if (
    code !== 'CONFIG_INVALID' ||
    typeof message !== 'string' ||
    !Array.isArray(faults) ||
    faults.length === 0
  ) {
    tally.ended('crash');
    tally.violate('a clear error', where, describeThrown(error));
    return;
  }
  tally.ended('refused');
  if (message.length > MOST_MESSAGE) tally.violate('a clear error', where, `${message.length} characters`);
  if (message.includes(SECRET)) tally.violate('19 no secret', where, 'the message quotes a secret');
  if (message.includes('Invalid input')) tally.violate('a clear error', where, message);
}

/** What those say who work with a configuration that was called valid. */
function faultsOfUse(config: Config): string[] {
  const faults = config.shares.flatMap(share =>
    checkShareConfig(share).map(({ setting, text }) => `${setting}: ${text}`),
  );
  try {
    if (config.service !== undefined) completeServiceConfig(config.service);
  } catch (error) {
    faults.push((error as Error).message);
  }
  const numbers = JSON.stringify(config.settings, (_, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? 'NOT A NUMBER' : value,
  );
  if (numbers.includes('NOT A NUMBER')) faults.push('a number that is none');
  return faults;
}
