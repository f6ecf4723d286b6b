// What a document is called, where the service does not decide it.
import type { Naming, ValuesByField } from '../contract';
import { type FieldWrite, isNameComputed } from './plan-document';
import { findField, type ProjectRules } from './project-rules';

export interface NamedFile {
  readonly fileName: string;
  readonly mimeType: string;
}

/** A name for a document. One that is not firm is used only where a name is required and the service gave none. */
export interface NameWish {
  readonly text: string;
  readonly isFirm: boolean;
}

/**
 * The name that people gave, else the file's. A naming standard computes names and the setting `service` leaves them to
 * the service, so there the file's counts only if nobody else gives one.
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

/** The service matches by name and media type (`match_criteria`), so a name needs no extension to tell types apart. */
export function nameOfFile(file: NamedFile, naming: Naming): string {
  return naming === 'file' ? file.fileName.normalize('NFC') : stemOf(file);
}

/** Without its extension. In "Report v1.2" there is none: what is unknown and begins with a digit belongs to the name. */
export function stemOf({ fileName, mimeType }: NamedFile): string {
  const name = fileName.normalize('NFC');
  const [, stem = '', extension = ''] = /^(.+)\.([A-Za-z0-9]{1,10})$/.exec(name) ?? [];
  const isExtension = /^[A-Za-z]/.test(extension) || mimeType !== 'application/octet-stream';
  return stem !== '' && isExtension ? stem : name;
}

/** Whether the name that stands there may be replaced: it is the service's own, nobody's decision. */
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
