// What the config file says of one share.
import { z } from 'zod';
import { compileRegisterNames } from '../../activities/registers/register-name';
import { compilePattern } from '../../activities/share/drop/pattern';
import { DUPLICATE_DEFAULTS, SHARE_DEFAULTS } from '../../activities/share/share-config';
import { duration, size } from './config-values';

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

export const shareSection = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'lower-case letters, digits and dashes, such as "tender"'),
  folder: z
    .string()
    .min(1, { abort: true })
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
  receipt: z
    .strictObject({
      delimiter: z
        .enum([',', ';', 'tab'])
        .default(',')
        .describe(
          'What parts the cells of receipt.csv, as the spreadsheet programs of the office expect it.',
        ),
    })
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
        .default(31_000)
        .describe('When the analysis has usually ended; without the bulk read the first look is then.'),
      for: duration('0ms', '30m').default(180_000),
    })
    .describe('Looking for what the service finds in a document.')
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
    .default(34)
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

export type ShareSettings = z.output<typeof shareSection>;
