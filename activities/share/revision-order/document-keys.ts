// By which files count as revisions of one document, before the service has said what it matches by.

import type { Naming, ValuesByField } from '../../../workflows/contract';
import { NUMBER } from '../../../workflows/revision-order/decide/order-revisions';
import { foldName } from '../../host/fold-text';
import type { DocumentWords } from '../drop/document-words';
import { type NamedFile, nameOfFile } from '../drop/name-of-file';

/**
 * Files that have one of these keys in common count as revisions of one document. The keys are the name that
 * the document will have, and the Number where the file's name tells it; each with the media type, for a PDF
 * and a DWG are two documents. Case is ignored.
 */
export function keysOf(
  file: NamedFile,
  values: ValuesByField,
  naming: Naming,
  words: DocumentWords,
): readonly string[] {
  const type = file.mimeType.toLowerCase();
  const name = words.textOf(values, 'name') ?? nameOfFile(file, naming);
  const number = words.textOf(values, 'number');
  return [
    `name ${foldName(name)}|${type}`,
    ...(number === undefined ? [] : [`${NUMBER}${foldName(number)}|${type}`]),
  ];
}

/** What people read of a number that so many files have that it cannot be one document's. */
export function explainMistake(key: string, count: number): string {
  const number = key.slice(NUMBER.length, key.lastIndexOf('|'));
  return `The pattern of the share reads the number "${number}" from the names of ${count} files on their way. They are not taken for revisions of one document; if that is not meant, correct the pattern.`;
}
