// What a look at the template of a share is asked and answers. Plain data.
import { z } from 'zod';
import { shareName } from '../run/input-fields';

export const keepTemplateInput = z.strictObject({ share: shareName });
/** The share whose template is looked at. */
export type KeepTemplateInput = z.infer<typeof keepTemplateInput>;

export interface KeepTemplateResult {
  readonly share: string;
  /**
   * `fresh`: looked at shortly before, so the service was not asked. `as-it-was`: asked, and nothing was new.
   * `theirs`: the file of that name was made or changed by a person, and stays. `cannot-write`: a program has
   * it open, or nobody may write there. `cannot-ask`: the service does not let us ask, which a person has to
   * repair.
   */
  readonly template: 'written' | 'as-it-was' | 'fresh' | 'theirs' | 'off' | 'cannot-write' | 'cannot-ask';
}
