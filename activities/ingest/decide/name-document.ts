// What a document is called, where the service does not decide it.
import type { Naming, ValuesByField } from '../../../workflows/contract';
import type { FieldWrite } from '../../../workflows/ingest/ingest-contract';
import { findField } from '../../registers/column-words';
import { type NamedFile, nameOfFile } from '../../share/drop/name-of-file';
import { isNameComputed } from './plan-document';
import type { ProjectRules } from './project-rules';

/**
 * A name for a document. One that is not firm is used only where a name is
 * required and the service gave none.
 */
export interface NameWish {
  readonly text: string;
  readonly isFirm: boolean;
}

/**
 * The name that people gave, else the file's. A naming standard computes names and the setting `service`
 * leaves them to the service, so there the file's counts only if nobody else gives one.
 */
export function wishName(
  rules: ProjectRules,
  file: NamedFile & { readonly values: ValuesByField },
  naming: Naming,
): NameWish {
  const given = Object.entries(file.values).findLast(
    ([key]) => findField(rules.fields, key)?.name === 'name',
  );
  if (typeof given?.[1] === 'string' && given[1].trim() !== '') {
    return { text: given[1].normalize('NFC'), isFirm: true };
  }
  return { text: nameOfFile(file, naming), isFirm: naming !== 'service' && !isNameComputed(rules) };
}

/**
 * What to write over the name that is shown; undefined where that is to stay. Only a name of the service's
 * own making, which nobody decided on, is replaced, and only by a firm wish.
 */
export function renameTo(
  wish: NameWish,
  shown: { readonly names: readonly string[]; readonly nameSource?: string | null | undefined },
  nameId: string | undefined,
): FieldWrite | undefined {
  const [name] = shown.names;
  if (nameId === undefined || !wish.isFirm || name === undefined || name.trim() === '') return undefined;
  if (shown.nameSource === 'MANUAL' || name.normalize('NFC') === wish.text) return undefined;
  return { fieldId: nameId, values: [wish.text] };
}
