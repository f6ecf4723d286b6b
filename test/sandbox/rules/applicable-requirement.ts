/**
 * Which requirement applies to an upload as it stands (specification, the four
 * rules under Upload requirement).
 */
import type { DocumentUpload, Project, Qualifier } from '../entities';
import { valuesOf } from './upload-fields';

export interface Applicable {
  /** Field names. */
  required: string[];
  allowDuplicateRevisions: boolean;
}

/** When requirements tie, all of them must be met: a client that fills the union is right either way. */
export function applicableRequirement(project: Project, upload: DocumentUpload): Applicable {
  const holds = (qualifier: Qualifier) =>
    valuesOf(project, upload, qualifier.fieldName).some(value => qualifier.valueIds.includes(value));
  const matching = project.requirements.filter(({ qualifiers }) => qualifiers.every(holds));
  const most = Math.max(0, ...matching.map(({ qualifiers }) => qualifiers.length));
  const chosen = matching.filter(({ qualifiers }) => qualifiers.length === most);
  return {
    required: [
      ...new Set(
        chosen.flatMap(({ requiredByProject, additional }) => [...requiredByProject, ...additional]),
      ),
    ],
    allowDuplicateRevisions: chosen.every(requirement => requirement.allowDuplicateRevisions),
  };
}

/** Names of required fields that are still empty. */
export function missingFields(project: Project, upload: DocumentUpload): string[] {
  return applicableRequirement(project, upload).required.filter(
    name => valuesOf(project, upload, name).length === 0,
  );
}
