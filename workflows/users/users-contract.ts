// Changing a person's permission template: input, result, and the decision that a person may have to take.

import { z } from 'zod';
import type { PermissionTemplate } from '../../activities';
import { defineUpdate } from '../contract';
import { idLike } from '../run/input-fields';

const id = idLike('7001');

const text = (what: string) =>
  z
    .union([z.string(), z.number().int()], { error: what })
    .transform(String)
    .pipe(z.string().trim().min(1, what).max(200, what));

export const changePermissionTemplateInput = z.strictObject({
  companyId: id,
  projectId: id,
  user: text('an id, an e-mail address or a name, for example "ada.ashby@example.com"'),
  template: text('the id of a permission template, or the name of one that somebody in the project has'),
  previousTemplate: text('the same as for "template"').optional(),
});
/**
 * Gives a user of a project another permission template. `previousTemplate` is what is put back when the new
 * one is refused; it is needed only where the service does not show the present one, or when the user is
 * outside already.
 */
export type ChangePermissionTemplateInput = z.input<typeof changePermissionTemplateInput>;

export interface PermissionTemplateResult {
  readonly userId: string;
  /**
   * `changed` and verified; `unchanged`: had it already; `restored`: the new one was refused, the old one is
   * back; `changed-by-others`: somebody gave another template meanwhile; `left-outside`: a person decided so.
   */
  readonly outcome: 'changed' | 'unchanged' | 'restored' | 'changed-by-others' | 'left-outside';
  /** As the project's list had it at the end; null: outside, or not shown to us. */
  readonly template: PermissionTemplate | null;
  readonly previous: PermissionTemplate | null;
  readonly notes: readonly string[];
}

export const decideMemberInput = z
  .strictObject({
    templateId: id.optional(),
    leaveOutside: z.literal(true).optional(),
    reason: z.string().trim().min(1).max(500).optional(),
  })
  .refine(decision => (decision.templateId === undefined) !== (decision.leaveOutside === undefined), {
    message: 'give either "templateId" or "leaveOutside": true',
  })
  .refine(decision => decision.leaveOutside === undefined || decision.reason !== undefined, {
    message: '"leaveOutside" needs a "reason"',
  });
/** What to do with somebody who can be given neither the new nor the old template. */
export type DecideMember = z.input<typeof decideMemberInput>;

export const decideMemberUpdate = defineUpdate<{ taken: true }, [DecideMember]>('decide');

/**
 * One run at a time for a user who is written the same way. `userKey` is a hash of that text, so that
 * people's names stay out of ids.
 */
export function permissionTemplateWorkflowId(projectId: string, userKey: string): string {
  return `permission-template/${projectId}/${userKey}`;
}
