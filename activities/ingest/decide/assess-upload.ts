// What an upload, as the service shows it (Step 7), still needs before it can be submitted.

import type { FieldWrite } from '../../../workflows/ingest/ingest-contract';
import { chooseRequirement, hasValue, listMissing } from './choose-requirement';
import { type NameWish, renameTo } from './name-document';
import type { FieldLabel, FieldValues, ProjectRules } from './project-rules';

const ENDS: ReadonlySet<string> = new Set(['completed', 'error', 'not_applicable']);

export interface UploadView {
  readonly status: string;
  readonly values: FieldValues;
  /** The texts of the `name` field; empty when it has none. */
  readonly names: readonly string[];
  /** Who wrote the name (`label_source`); null where it is not told. */
  readonly nameSource?: string | null;
  readonly analysis: { readonly ml: string | null; readonly filenameScraping: string | null };
}

export interface Assessment {
  /** What must still be written into empty fields, each field once. */
  readonly fill: readonly FieldWrite[];
  /** Required, empty, and no default for it. */
  readonly missing: readonly FieldLabel[];
  /** What is to be written over a name of the service's own making. */
  readonly rename?: FieldWrite;
}

/**
 * Finished is what the service calls completed or error (specification, Integration statuses), or not
 * applicable, and what it says nothing of. A status that we do not know is waited for, as long as for any
 * analysis: defaults that are written before it ends keep its values out.
 */
export function isAnalysed({ analysis: { ml, filenameScraping } }: UploadView): boolean {
  return hasEnded(ml) && hasEnded(filenameScraping);
}

function hasEnded(status: string | null): boolean {
  return status === null || ENDS.has(status);
}

/**
 * Fills every empty field that has a default, required or not, and chooses the requirement anew with the
 * values the upload then has: a default Type, say, can make another requirement apply. A value that is there
 * is never written again. A name that is wished for goes over the service's own, never over a person's; one
 * that is not firm is used only where a name is required and there is none.
 */
export function assessUpload(
  rules: ProjectRules,
  view: UploadView,
  defaults: readonly FieldWrite[],
  wish?: NameWish,
): Assessment {
  const nameId = rules.fields.find(({ name }) => name === 'name')?.id;
  const fill = new Map<string, FieldWrite>();
  for (const write of defaults) {
    const isUseful = write.values.some(value => value.trim() !== '') && write.fieldId !== nameId;
    if (isUseful && !hasValue(view.values, write.fieldId)) fill.set(write.fieldId, write);
  }
  const values = new Map(view.values);
  for (const write of fill.values()) values.set(write.fieldId, write.values);
  const missing = listMissing(chooseRequirement(rules, values), values);
  if (wish === undefined || nameId === undefined) return { fill: [...fill.values()], missing };
  const isRequired = missing.some(({ id }) => id === nameId);
  if (isRequired || (wish.isFirm && !hasValue(view.values, nameId))) {
    fill.set(nameId, { fieldId: nameId, values: [wish.text] });
  }
  const rename = renameTo(wish, view, nameId);
  return {
    fill: [...fill.values()],
    missing: missing.filter(({ id }) => id !== nameId),
    ...(rename === undefined ? {} : { rename }),
  };
}
