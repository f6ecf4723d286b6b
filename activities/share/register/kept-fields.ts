// The fields of the project as a worker saw them last, kept on the share for those who show them to people
// and have no secret of the service.
import { join } from 'node:path';
import { z } from 'zod';
import { projectSchema } from '../batch/manifest';
import { type MarkKind, NOT_OURS, type OnNotOurs, readMark, toMarkText } from '../files/own-marks';
import type { ShareLayout } from '../files/share-layout';
import { writeOver } from '../files/write-whole';

const text = z.string().max(10_000);
const texts = z.array(text).max(10_000).readonly();
const fieldSchema = z.strictObject({
  name: text,
  label: text,
  type: text,
  isPeople: z.boolean(),
  required: z.boolean(),
  requiredByType: texts,
  requiredByFields: texts,
  given: z.strictObject({ text, isForced: z.boolean() }).optional(),
  values: z.array(z.strictObject({ label: text, code: text, active: z.boolean() })).readonly(),
});
const keptSchema = z.strictObject({
  version: z.literal(1),
  askedAt: z.iso.datetime(),
  project: projectSchema,
  fields: z.array(fieldSchema).max(1_000).readonly(),
});
const KEPT: MarkKind<z.output<typeof keptSchema>> = {
  kind: 'fields',
  label: 'The fields of the project',
  schema: keptSchema,
};

export type KeptField = z.output<typeof fieldSchema>;

export interface KeptFields {
  readonly askedAt: Date;
  readonly fields: readonly KeptField[];
}

/** Undefined where nobody has kept them, or those of another project. */
export async function readFields(
  { fs, seals, own, project }: ShareLayout,
  onNotOurs: OnNotOurs,
): Promise<KeptFields | undefined> {
  const kept = await readMark(fs, seals, KEPT, placeOf(own), 'fields', onNotOurs);
  if (kept === undefined || kept === NOT_OURS) return undefined;
  const { companyId, projectId } = kept.project;
  if (companyId !== project.companyId || projectId !== project.projectId) return undefined;
  return { askedAt: new Date(kept.askedAt), fields: kept.fields };
}

export async function putFields(
  { fs, seals, own, project }: ShareLayout,
  { askedAt, fields }: KeptFields,
): Promise<void> {
  const { companyId, projectId } = project;
  const value = {
    version: 1 as const,
    askedAt: askedAt.toISOString(),
    project: { companyId, projectId },
    fields,
  };
  await fs.makeFolders(own, join(own, FOLDER));
  await writeOver(fs, placeOf(own), toMarkText(seals, KEPT, 'fields', value), join(own, FOLDER));
}

const FOLDER = 'fields';

function placeOf(own: string): string {
  return join(own, FOLDER, 'fields.json');
}
