// What the service's own look at a file has come to, field by field, as far as an upload shows it. Pure.
import type { SeenAnalysis } from '../../../workflows/ingest/decide/keep-analysis';
import type { FieldWrite, StoredValue } from '../../../workflows/ingest/ingest-contract';
import type { DocumentUpload } from '../../service/endpoints/document-uploads';
import type { FieldLabel, ProjectRules } from './project-rules';

interface Looked {
  readonly waitedMs: number;
  readonly stored: readonly StoredValue[];
  readonly fill: readonly FieldWrite[];
  readonly missing: readonly FieldLabel[];
}

/** Undefined where the service has nothing to look at in the file, or does not say whether it has. */
export function tellAnalysis(
  rules: ProjectRules,
  { fields, integrationStatuses }: Pick<DocumentUpload, 'fields' | 'integrationStatuses'>,
  { waitedMs, stored, fill, missing }: Looked,
): SeenAnalysis | undefined {
  const { ml, filenameScraping } = integrationStatuses;
  if (![ml, filenameScraping].some(status => status !== null && status !== 'not_applicable'))
    return undefined;
  const shown = new Set(stored.filter(({ from }) => from === 'service').map(({ label }) => label));
  const found = fields.filter(field => shown.has(field.label) && isFound(field)).map(({ label }) => label);
  const toFill = new Set(fill.map(({ fieldId }) => fieldId));
  const lacked = [
    ...missing.map(({ label }) => label),
    ...rules.fields.filter(({ id, name }) => toFill.has(id) && name !== 'name').map(({ label }) => label),
  ];
  return {
    waitedMs,
    ...(found.length === 0 ? {} : { found }),
    ...(lacked.length === 0 ? {} : { lacked }),
  };
}

/** The name comes from rules, and what a person has put there meanwhile was found by nobody. */
function isFound({ name, labelSource }: DocumentUpload['fields'][number]): boolean {
  return name !== 'name' && isOfAnalysis(labelSource);
}

/** Whether a value was put there by the service's own look at the file or its name. */
export function isOfAnalysis(labelSource: DocumentUpload['fields'][number]['labelSource']): boolean {
  return labelSource === 'ML' || labelSource === 'FILENAME_SCRAPING';
}
