// What a page shows of a test run. Pure.
import { z } from 'zod';
import { FORETOLD } from '../registers/words/foretold-words';

const text = z.string();

export const testReport = z.object({
  testedAt: z.iso.datetime(),
  tally: z.record(z.enum(FORETOLD), z.int()),
  sum: text,
  cost: text,
  /** For logs and sheets: its times are of the worker's zone. Empty where nothing would be sent. */
  time: text,
  requests: z.int(),
  /** When all could be through at the earliest, by the limit of requests; null where that says nothing. */
  endsAt: z.iso.datetime().nullable(),
  register: text.nullable(),
  /** How many of all files were compared by content with what was sent before; `why`: why none could be. */
  compared: z.object({ files: z.int(), all: z.int(), why: text.nullable() }),
  notices: z.array(text),
  /** Files that no row is about and that would stay. */
  left: z.array(text),
  /** Files that would be held or set apart. */
  stays: z.array(text).default([]),
  onlyService: z.array(text),
  reasons: z.array(
    z.object({
      foretold: z.enum(FORETOLD),
      count: z.int(),
      why: text,
      whatToDo: text,
      /** The first of them. */
      rows: z.array(
        z.object({
          row: z.int().nullable(),
          file: text,
          name: text.nullable(),
          /** Of this one alone, where the reason names documents. */
          why: text.optional(),
        }),
      ),
    }),
  ),
  /** Of the sheet. */
  format: z.enum(['xlsx', 'csv']),
});
export type TestReport = z.infer<typeof testReport>;
