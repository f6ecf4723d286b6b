// The config file: its sections, their defaults and limits. Published as docs/config.schema.json.
import { z } from 'zod';
import { compileRegisterNames } from '../../activities/registers/register-name';
import { compilePattern } from '../../activities/share/drop/pattern';
import { DUPLICATE_DEFAULTS, SHARE_DEFAULTS } from '../../activities/share/share-config';
import { duration, secretReference, size, webAddress } from './config-values';
import { webhooksSection } from './config-webhooks';

const id = z
  .union([z.string().regex(/^[A-Za-z0-9_-]{1,64}$/), z.number().int().positive()], {
    error: 'an id of digits or letters, such as 4711',
  })
  .transform(String);

const folderName = z
  .string()
  .regex(
    /^(?!\.{1,2}$)[^/\\\p{Cc}]{1,100}$/u,
    'one folder name below the share, such as "drop" (no slashes, not "." or "..")',
  );

const fileName = z
  .string()
  .regex(/^(?!\.{1,2}$)[^/\\\p{Cc}]{1,100}$/u, 'a file name, such as ".ready" (no slashes, not "." or "..")');

const pattern = z.string().superRefine((text, context) => {
  try {
    compilePattern(text);
  } catch (error) {
    context.addIssue({
      code: 'custom',
      message: `a regular expression with at least one named group, such as "^(?<number>[^_]+)_(?<revision>[^_.]+)" (${(error as Error).message})`,
    });
  }
});

const fieldValue = z.union([z.string(), z.array(z.string())], { error: 'a text or a list of texts' });

const values = z.record(z.string().min(1).max(200), fieldValue, {
  error: 'field names or labels with their values, such as {"Status": "Work in progress"}',
});

const timeZone = z.string().refine(
  name => {
    try {
      return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
    } catch {
      return false;
    }
  },
  { error: 'the name of a time zone, such as "Europe/Berlin"' },
);

const registerNames = z.string().superRefine((text, context) => {
  try {
    compileRegisterNames(text);
  } catch (error) {
    context.addIssue({
      code: 'custom',
      message: `a regular expression that fits the names of registers, such as "register|transmittal" (${(error as Error).message})`,
    });
  }
});

/** A name that every file system can have, whoever has mounted the share. */
const templateName = z
  .string()
  .max(100)
  .regex(/^[^\s./\\:*?"<>|~][^/\\:*?"<>|]*\.[xX][lL][sS][xX]$/)
  .refine(name => !/\p{Cc}/u.test(name));

const registerSection = z
  .strictObject({
    pattern: registerNames
      .optional()
      .describe(
        'Fits the name of a register (.xlsx or .csv), in any case. Default: register, transmittal or document list.',
      ),
    synonyms: z
      .record(z.string().min(1).max(200), z.string().min(1).max(200), {
        error: 'headers with the name or label of a field, or "File", such as {"Doc No": "Number"}',
      })
      .default({})
      .describe('What headers stand for.'),
    dates: z
      .enum(['day-month-year', 'month-day-year'])
      .optional()
      .describe('How 03/04/2026 is meant. Left out, a date that can be read two ways is a fault of its row.'),
    emptyWord: z.string().trim().min(1).max(50).default('-').describe('In a cell: leave the field empty.'),
    wait: duration('0ms', '7d')
      .default(10 * 60_000)
      .describe('How long a folder waits for files that its register lists and that are not there.'),
    unlisted: z
      .enum(['hold', 'process', 'leave'])
      .default('hold')
      .describe(
        'A file that no row of its register is about: wait for an answer, send it all the same, or leave it in the drop folder.',
      ),
    template: z
      .union([z.literal(false), templateName], {
        error: 'false, or the name of a workbook such as "template.xlsx"',
      })
      .default(SHARE_DEFAULTS.template)
      .describe('The template that is kept fresh at the root of the share, or false for none.'),
  })
  .describe('The sheet that lists the files which it came with, and their values.')
  .prefault({});

const conflictPolicy = z
  .union(
    [
      z.enum(['ask', 'wait', 'set-apart']),
      z.strictObject({
        kind: z.literal('terminate'),
        reason: z.string().min(1).max(500),
        status: z.string().min(1).max(200),
      }),
    ],
    {
      error:
        '"ask", "wait", "set-apart" or {"kind": "terminate", "reason": "...", "status": "..."} (ends other people\'s workflows)',
    },
  )
  .default('ask')
  .describe('What to do when the document that a revision goes to has an active workflow.');

const serviceSection = z
  .strictObject({
    environment: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'a short name such as "sandbox" or "production"')
      .default('production')
      .describe('Keeps the tokens of separate environments apart.'),
    baseUrl: webAddress.describe('The address of the API.'),
    authUrl: webAddress.describe('The address of the authentication service of the same environment.'),
    companyHeader: z
      .string()
      .regex(
        /^(?!(?:accept|authorization|connection|content-.*|cookie|host|transfer-encoding)$)[A-Za-z][A-Za-z0-9-]{0,63}$/i,
        'a header name such as "Service-Company-Id", none that requests carry anyway',
      )
      .default('Service-Company-Id')
      .describe('The header that names the company on every request.'),
    clientId: z.string().regex(/^[\x21-\x7e]{1,500}$/, '1 to 500 visible characters without blanks'),
    clientSecret: secretReference.default({ env: 'DRAWBRIDGE_CLIENT_SECRET' }),
    grant: z
      .enum(['client_credentials', 'refresh_token'])
      .default('client_credentials')
      .describe('client_credentials: a service account. refresh_token: a person has signed in.'),
    refreshToken: secretReference
      .optional()
      .describe('With the grant refresh_token: the first refresh token, used once and then never again.'),
    tokenKey: secretReference
      .optional()
      .describe('32 bytes, as 64 hexadecimal digits or base64: tokens on disk are encrypted with it.'),
    timeouts: z
      .strictObject({
        headers: duration('100ms', '15m').default(30_000),
        body: duration('100ms', '15m').default(30_000),
        total: duration('1s', '30m').default(60_000),
      })
      .prefault({}),
    maxAnswerBytes: size('64KiB', '64MiB').default(5_000_000),
    connections: z
      .number()
      .int()
      .min(1)
      .max(64)
      .default(16)
      .describe('Requests under way at once, per address.'),
    rateShare: z
      .number()
      .gt(0)
      .max(1)
      .default(1)
      .describe(
        'The part of the rate limit that this host may use. Processes of one host share it by themselves; hosts do not know of each other: with three, 0.33 each.',
      ),
    caBundle: z.string().min(1).optional().describe('A PEM file with further certificate authorities.'),
    allowInsecureLoopback: z
      .boolean()
      .default(false)
      .describe('Allows http:// to this machine itself, for the stand-in service.'),
    allowPrivateStorage: z
      .boolean()
      .default(false)
      .describe('Allows storage addresses that lead into a private network; otherwise public ones only.'),
  })
  .describe('The document service. Left out, `run` starts the stand-in service.');

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

export const shareSection = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'lower-case letters, digits and dashes, such as "tender"'),
  folder: z
    .string()
    .min(1)
    .refine(text => text.trim() !== '' && !text.includes('\0'), { error: 'the path of a folder' })
    .describe('The share. A relative path counts from the config file.'),
  project: z.strictObject({ companyId: id, projectId: id }),
  createFolder: z
    .boolean()
    .default(true)
    .describe('false: a folder that is not there is a share that is not mounted.'),
  drop: folderName.default('drop').describe('Below the folder: where people put files.'),
  done: folderName.default('done'),
  attention: folderName.default('attention'),
  settle: duration('100ms', '1h').default(5_000).describe('A file must stand still for this long.'),
  scanEvery: duration('200ms', '1h').default(10_000),
  polling: z.boolean().default(false).describe('For network shares that announce no changes.'),
  batch: z
    .strictObject({
      maxFiles: z.number().int().min(1).max(100).default(100),
      maxBytes: size('1MiB', '1TiB').default(5 * 1024 ** 3),
      quiet: duration('0ms', '1h')
        .default(3_000)
        .describe(
          'A folder is whole, and loose files that do not fill a batch wait no longer, after this time without a change.',
        ),
      maxOpen: z.number().int().min(1).max(500).default(8),
    })
    .prefault({}),
  job: z
    .strictObject({
      marker: fileName
        .default('.ready')
        .describe('A file of this name in a folder of the drop says that the folder is whole.'),
    })
    .prefault({}),
  maxFileBytes: size('1KiB', '900GiB').default(50 * 1024 ** 3),
  fileNamePattern: pattern
    .optional()
    .describe('Named groups are field names; matched against the file name.'),
  folderPattern: pattern.optional().describe('The same for the sub-folders below the drop folder.'),
  defaults: values.default({}).describe('Written only into fields that are still empty at the end.'),
  values: values
    .default({})
    .describe('Written whatever a register, a name, a person or the service says of these fields.'),
  register: registerSection,
  duplicates: z
    .strictObject({
      sameFile: z
        .enum(['skip', 'hold', 'send'])
        .default(DUPLICATE_DEFAULTS.sameFile)
        .describe(
          'A file that is, by name and bytes, the present revision already: it is not sent, and the receipt names that revision; it is held for a person; or it becomes a revision once more.',
        ),
      sameBytes: z
        .enum(['hold', 'send'])
        .default(DUPLICATE_DEFAULTS.sameBytes)
        .describe('A file with the bytes of another one of another name, sent before or in the same batch.'),
      noOrder: z
        .enum(['hold', 'send'])
        .default(DUPLICATE_DEFAULTS.noOrder)
        .describe('Different files of one batch that are one document, when no revision puts them in order.'),
      earlier: z
        .enum(['hold', 'send'])
        .default(DUPLICATE_DEFAULTS.earlier)
        .describe('An earlier revision of a document of which a later one was sent.'),
      mode: z
        .enum(['auto', 'new-only', 'supersede-only'])
        .default(DUPLICATE_DEFAULTS.mode)
        .describe(
          'What may be sent without a question: any document, only those that were not sent before, or only those that were.',
        ),
    })
    .describe('Files that were sent before, by any share of the project that this host serves.')
    .prefault({}),
  timeZone: timeZone
    .optional()
    .describe('Of the times in receipts for people and on status pages. Left out, that of the host.'),
  documentName: z
    .enum(['stem', 'file', 'service'])
    .default('stem')
    .describe(
      'What a document is called where neither a pattern nor a naming standard says: its file name without the extension, the whole file name, or what the service makes of it.',
    ),
  createOneByOne: z
    .boolean()
    .default(false)
    .describe(
      'One upload a request, where the service does not show which upload is whose file. Costs a request a document.',
    ),
  conflict: conflictPolicy,
  conflictRetry: duration('1s', '7d')
    .default(15 * 60_000)
    .describe('With "wait": how often to look again.'),
  missing: z
    .enum(['hold', 'set-apart'])
    .default('hold')
    .describe('A document without a required value: wait for an answer, or set it apart at once.'),
  hold: duration('1s', '90d')
    .default(7 * 86_400_000)
    .describe('A held document is set apart after this.'),
  analysis: z
    .strictObject({
      firstLook: duration('100ms', '5m').default(5_000),
      every: duration('100ms', '1m').default(8_000),
      typical: duration('100ms', '10m')
        .default(28_000)
        .describe('When the analysis has usually ended; without the bulk read the first look is then.'),
      for: duration('0ms', '30m').default(180_000),
    })
    .describe('Looking for what the service finds in a document (specification, Limits).')
    .prefault({}),
  lookAgain: z
    .strictObject({
      every: duration('10ms', '1m').default(10_000),
      for: duration('10ms', '30m').default(30_000),
    })
    .describe(
      'An upload that should be there and is not shown: looked for again before anything is said of it. The service may show a change late.',
    )
    .prefault({}),
  transferChunk: z
    .number()
    .int()
    .min(1)
    .max(100)
    .default(10)
    .describe('Files that one transfer activity carries.'),
  linkWithin: duration('1m', '24h')
    .default(20 * 3_600_000)
    .describe('Bytes older than this are sent again; the service drops unlinked ones after 24 h.'),
  takeOver: duration('1s', '365d')
    .default(15 * 60_000)
    .describe('Another Temporal that stands still on this share for this long is followed by this one.'),
  passStopped: duration('1s', '365d')
    .default(15 * 60_000)
    .describe('Later revisions no longer wait for a batch that nobody has run for this long.'),
});

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
      .describe('Loads of a share sent at once; as many again of those that take longer than a minute.'),
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
    maxWait: duration('0ms', '5m')
      .default(15_000)
      .describe('A longer wait for the rate limit is handed back to Temporal.'),
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
    address: z.string().regex(/^.+:\d{1,5}$/, 'host:port, such as "127.0.0.1:9464"'),
  })
  .describe("Prometheus address of the worker's own metrics.")
  .optional();

/** The whole file. Parsing fills in every default; durations become milliseconds and sizes bytes. */
export const settingsSchema = z
  .strictObject({
    $schema: z.string().optional(),
    service: serviceSection.optional(),
    temporal: temporalSection,
    shares: z.array(shareSection).max(100).default([]),
    worker: workerSection,
    limits: limitsSection,
    logging: loggingSection,
    metrics: metricsSection,
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
export type ShareSettings = z.output<typeof shareSection>;
export type ServiceSettings = z.output<typeof serviceSection>;

/** What of the file is right: all of it, or the sections and shares that are right by themselves. */
export type RightParts = Partial<Omit<Settings, 'shares'>> & {
  /** Where the file has them; undefined where one is wrong. */
  readonly shares: readonly (ShareSettings | undefined)[];
};

/** For a file with faults: those between the sections that are right are told beside them. */
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
