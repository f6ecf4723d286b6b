// What is asked and answered when a share is to have the fields of its project. Plain data.
import { z } from 'zod';
import { shareName } from '../run/input-fields';

export const keepFieldsInput = z.strictObject({ share: shareName });
/** The share that is to have the fields. */
export type KeepFieldsInput = z.infer<typeof keepFieldsInput>;

export interface KeepFieldsResult {
  readonly share: string;
  /** `cannot-ask`: the service does not let us ask, which a person has to repair. */
  readonly fields: 'written' | 'fresh' | 'cannot-ask';
}
