// The config file: its sections, their defaults and limits. Published as docs/config.schema.json.
import { z } from 'zod';
import { consoleSection } from './config-console';
import { duration, listenAddress, secretReference, size } from './config-values';
import { webhooksSection } from './config-webhooks';
import { serviceSection } from './service-section';
import { type ShareSettings, shareSection } from './share-section';

const temporalSection = z
  .strictObject({
    address: z.string().min(1).optional().describe('host:port of a Temporal server that is there already.'),
    namespace: z.string().min(1).optional(),
    profile: z.string().min(1).optional().describe('A profile of temporal.toml.'),
    configFile: z.string().min(1).optional().describe('A temporal.toml in another place.'),
    embedded: z
      .strictObject({
        enabled: z
          .boolean()
          .default(true)
          .describe('Whether `run` starts a development server when no address is configured anywhere.'),
        port: z.number().int().min(1).max(65_535).default(7233),
        uiPort: z.number().int().min(1).max(65_535).default(8233),
        database: z.string().min(1).optional().describe('Default: temporal.db in the state folder.'),
        logLevel: z.enum(['debug', 'info', 'warn', 'error', 'never']).default('warn'),
        retention: duration('1d', '365d')
          .default(30 * 86_400_000)
          .describe('How long runs that have ended are remembered.'),
        forProduction: z
          .boolean()
          .default(false)
          .describe("The operator's word that a development server may carry a production environment."),
      })
      .prefault({}),
  })
  .describe(
    'TEMPORAL_ADDRESS wins over the address here, and this one over temporal.toml; credentials as with the Temporal CLI.',
  )
  .prefault({});

const workerSection = z
  .strictObject({
    maxConcurrentWorkflowTasks: z.number().int().min(2).max(1_000).default(40),
    maxConcurrentActivities: z.number().int().min(1).max(1_000).default(40),
    maxConcurrentShareTasks: z
      .number()
      .int()
      .min(1)
      .max(100)
      .default(8)
      .describe('Short work on a share at once: opening a batch, noting, settling.'),
    maxConcurrentTransfers: z
      .number()
      .int()
      .min(1)
      .max(100)
      .default(4)
      .describe('Loads of a share sent at once; as many again of big files, and of what takes over 30 s.'),
    transferConnections: z.number().int().min(1).max(16).default(8),
    hashThreads: z.number().int().min(1).max(64).optional().describe('Default: one a core, four at most.'),
    shutdownGrace: duration('1s', '30m').default(150_000).describe('Must be longer than the longest call.'),
  })
  .prefault({});

const limitsSection = z
  .strictObject({
    countAuthentication: z
      .boolean()
      .default(false)
      .describe('Whether requests to the authentication service count against the rate limit.'),
    // Above a second: a request that waits no longer than that gives way to all others (rate-gate.ts), and
    // has a part of the limit alone.
    maxWait: duration('2s', '5m')
      .default(15_000)
      .describe('A longer wait for the rate limit is handed back to Temporal; 2 s at least.'),
    lookupsFresh: duration('0ms', '1d')
      .default(300_000)
      .describe('How long looked-up fields and values are reused.'),
  })
  .prefault({});

const loggingSection = z
  .strictObject({
    level: z.enum(['trace', 'debug', 'info', 'warn', 'error']).default('info'),
    file: z
      .string()
      .min(1)
      .optional()
      .describe('Default: standard output; with `run`: drawbridge.log in the state folder.'),
    maxBytes: size('64KiB', '10GiB')
      .default(50 * 1024 ** 2)
      .describe('At this size the file becomes `<name>.1`; five are kept in all.'),
  })
  .prefault({});

const metricsSection = z
  .strictObject({
    address: listenAddress
      .optional()
      .describe("Where the numbers of Temporal's library are served, of a process with a worker."),
    listen: listenAddress
      .optional()
      .describe(
        'Where a process serves numbers of its work for Prometheus (/metrics), and /healthz and /readyz. Off without.',
      ),
  })
  .optional();

/** The whole file. Parsing fills in every default; durations become milliseconds and sizes bytes. */
export const settingsSchema = z
  .strictObject({
    $schema: z.string().optional(),
    service: serviceSection.optional(),
    temporal: temporalSection,
    shares: z.array(shareSection).max(1_000).default([]),
    worker: workerSection,
    limits: limitsSection,
    logging: loggingSection,
    metrics: metricsSection,
    console: consoleSection,
    webhooks: webhooksSection.describe('Events of the service: how they reach us, and what they trigger.'),
    shareKey: secretReference
      .optional()
      .describe(
        '32 bytes, as 64 hexadecimal digits or base64: what is ours on the shares is sealed with them. The same for all hosts of a share. Default: made in the state folder (share-key).',
      ),
    stateDir: z
      .string()
      .min(1)
      .default('./drawbridge-data/state')
      .describe('Tokens, the embedded Temporal database, logs. On a local disk, never on a share.'),
  })
  .meta({ title: 'Drawbridge' });

export type Settings = z.output<typeof settingsSchema>;

/** What of the file is right: all of it, or the sections and shares that are right by themselves. */
export type RightParts = Partial<Omit<Settings, 'shares'>> & {
  /** Each at the place that it has in the file; undefined where one is wrong. */
  readonly shares: readonly (ShareSettings | undefined)[];
};

/** For a file with faults: its right parts are still checked together, so that all faults are told. */
export function findRightParts(raw: unknown): RightParts {
  const content = typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>) : {};
  const sections = Object.entries(settingsSchema.shape).flatMap(([name, section]) => {
    const parsed = section.safeParse(content[name]);
    return parsed.success ? [[name, parsed.data]] : [];
  });
  const shares = Array.isArray(content.shares) ? content.shares : [];
  return {
    ...(Object.fromEntries(sections) as Partial<Settings>),
    shares: shares.map(share => shareSection.safeParse(share).data),
  };
}

/** The published JSON Schema of the file as people write it. */
export function toConfigJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(settingsSchema, { io: 'input' }) as Record<string, unknown>;
}
