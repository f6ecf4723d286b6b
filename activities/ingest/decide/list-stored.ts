// What a receipt shows of an upload's values, and who gave each of them. Pure.
import type { FieldWrite, StoredValue, ValueSource } from '../../../workflows/ingest/ingest-contract';
import type { DocumentUpload } from '../../service/endpoints/document-uploads';
import type { UploadView } from './assess-upload';
import { chooseRequirement } from './choose-requirement';
import type { NameWish } from './name-document';
import type { ProjectRules } from './project-rules';
import { isOfAnalysis } from './tell-analysis';

/** A stored text longer than this is cut in what travels to the receipt. */
const MOST_STORED_CHARS = 120;

/**
 * What the receipt shows: the required fields, and those that people gave values for. Where none of them has
 * a value it is the name, even an empty one: by this a receipt says that the upload was seen (`wasSeen`).
 */
export function listStored(
  rules: ProjectRules,
  upload: DocumentUpload,
  view: UploadView,
  sources: ReadonlyMap<string, ValueSource>,
  defaults: readonly FieldWrite[],
  wish: NameWish,
): readonly StoredValue[] {
  const wanted = new Set([
    ...chooseRequirement(rules, view.values).required.map(({ id }) => id),
    ...sources.keys(),
  ]);
  const nameField = rules.fields.find(({ name }) => name === 'name');
  const nameId = nameField?.id;
  const sourceOf = ({ id, labelSource }: DocumentUpload['fields'][number]): ValueSource => {
    const given = sources.get(id);
    if (given !== undefined) return given;
    if (id === nameId) return view.names[0]?.normalize('NFC') === wish.text ? 'name' : 'service';
    // What the analysis found may be the same as the default.
    if (isOfAnalysis(labelSource)) return 'service';
    const text = JSON.stringify(view.values.get(id));
    const isDefault = defaults.some(
      ({ fieldId, values }) => fieldId === id && JSON.stringify(values) === text,
    );
    return isDefault ? 'default' : 'service';
  };
  const listed = upload.fields
    .filter(({ id, values }) => wanted.has(id) && values.length > 0)
    .map(field => ({
      label: field.label,
      from: sourceOf(field),
      value: field.values
        .map(value => value.label ?? value.code ?? value.id ?? '')
        .join('; ')
        .slice(0, MOST_STORED_CHARS),
    }));
  if (listed.length > 0) return listed;
  const name = (view.names[0] ?? '').slice(0, MOST_STORED_CHARS);
  return [{ label: nameField?.label ?? 'Name', from: 'service', value: name }];
}
