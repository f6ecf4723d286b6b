// The page's section of the config file: where it is served, and to whom.
import { z } from 'zod';
import { webAddress } from './config-values';

const ORIGIN = 'an origin such as "https://drawbridge.example.com", without a path';

export const consoleSection = z
  .strictObject({
    inRun: z.boolean().default(true).describe('Whether `run` serves the page as well.'),
    host: z.string().min(1).default('127.0.0.1').describe('Where the page is served.'),
    port: z
      .number()
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe('Default: 7490, or the next one that is free.'),
    prefix: z
      .string()
      .regex(/^(?:\/[\w.~-]{1,60}){0,5}$/, 'a path such as "/drawbridge", or nothing')
      .default('')
      .describe('Path prefix below which a proxy has the page; it may take it away or leave it.'),
    publicOrigin: webAddress
      .refine(text => URL.canParse(text) && new URL(text).origin === text.toLowerCase(), { error: ORIGIN })
      .optional()
      .describe('As browsers name it, where that is not this machine: scheme, host and port.'),
    temporalUi: webAddress
      .optional()
      .describe("Address of Temporal's UI, for links of operators. Default: the embedded one's."),
  })
  .describe('The page: what is on its way, what waits, what went wrong, in a browser.')
  .prefault({});
