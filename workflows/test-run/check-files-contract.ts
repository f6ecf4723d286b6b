// What a test run is asked and answers. Plain data.
import { z } from 'zod';
import { shareName } from '../run/input-fields';

export const checkFilesInput = z.strictObject({
  share: shareName,
  folder: z
    .string()
    .min(1)
    .max(1_000)
    .refine(
      folder => !folder.includes('/'),
      'the name of a folder that lies in the folder "test" of the share',
    ),
  /** Id of a job that is being dropped on the page and was not sent yet: it is tested instead of a folder. */
  upload: z
    .string()
    .regex(/^[0-9a-f]{20}$/)
    .optional(),
});
/** Tells what would become of a folder; it is neither moved nor sent. */
export type CheckFilesInput = z.infer<typeof checkFilesInput>;

export interface CheckFilesResult {
  readonly share: string;
  readonly folder: string;
  /** Path, from the share's root, of the sheet with the result row by row; empty for an `upload`. */
  readonly sheet: string;
  /** "7 would go through + 2 would be held = 9" */
  readonly sum: string;
  readonly cost: string;
  readonly time: string;
  /** The first of those that would not go through. */
  readonly faults: readonly { readonly row?: number; readonly file: string; readonly text: string }[];
}
