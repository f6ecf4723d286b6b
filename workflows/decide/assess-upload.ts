// What an upload, as the service shows it (Step 7), still needs before it can be submitted.
import { chooseRequirement, hasValue, listMissing } from './choose-requirement';
import type { FieldWrite } from './plan-document';
import type { FieldLabel, FieldValues, ProjectRules } from './project-rules';

export interface UploadView {
  readonly status: string;
  readonly values: FieldValues;
  /** The texts of the `name` field; empty when it has none. */
  readonly names: readonly string[];
  readonly analysis: { readonly ml: string | null; readonly filenameScraping: string | null };
}

export interface Assessment {
  /** What must still be written into empty fields, each field once. */
  readonly fill: readonly FieldWrite[];
  /** Required, empty, and no default for it. */
  readonly missing: readonly FieldLabel[];
}

/** Finished means anything but in progress: unknown and absent values never make us wait. */
export function isAnalysed(view: UploadView): boolean {
  return view.analysis.ml !== 'in_progress' && view.analysis.filenameScraping !== 'in_progress';
}

/**
 * Fills every empty field that has a default, required or not, and chooses the requirement anew with the values the upload
 * then has: a default Type, say, can make another requirement apply. A value that is there is never written again.
 * With `fileName`, a required name that neither we nor the service gave becomes the file's own.
 */
export function assessUpload(
  rules: ProjectRules,
  view: UploadView,
  defaults: readonly FieldWrite[],
  fileName?: string,
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
  const name = missing.find(({ id }) => id === nameId);
  if (name === undefined || fileName === undefined) return { fill: [...fill.values()], missing };
  fill.set(name.id, { fieldId: name.id, values: [fileName] });
  return { fill: [...fill.values()], missing: missing.filter(field => field !== name) };
}

/**
 * Whether the upload carries our file's name. Answers of Step 4 pair by position only, so an upload that shows the name
 * of *another* file of the batch is mispaired. With a naming standard the name is computed and tells nothing else.
 */
export function isNameRight(
  view: UploadView,
  fileName: string,
  othersOfBatch: ReadonlySet<string>,
  isComputed: boolean,
): boolean {
  if (view.names.length === 0) return isComputed;
  const seen = new Set(view.names.map(toComposed));
  const own = toComposed(fileName);
  const others = [...othersOfBatch].map(toComposed);
  if (seen.has(own)) return true;
  // Before our own stem: "plan" on the upload of "plan.pdf" is the other file's name if the batch has a "plan" as well.
  if (others.some(other => seen.has(other))) return false;
  if (seen.has(withoutExtension(own))) return true;
  return isComputed && !others.some(other => seen.has(withoutExtension(other)));
}

/** Macs write accents decomposed; the service may compose them. */
function toComposed(name: string): string {
  return name.normalize('NFC');
}

function withoutExtension(fileName: string): string {
  const dot = fileName.lastIndexOf('.');
  return dot > 0 ? fileName.slice(0, dot) : fileName;
}
