// What a file is called as a document, by its own name alone.
import type { Naming } from '../../../workflows/contract';

export interface NamedFile {
  readonly fileName: string;
  readonly mimeType: string;
}

/**
 * The service matches by name and media type (`match_criteria`), so a name needs no
 * extension to tell types apart.
 */
export function nameOfFile(file: NamedFile, naming: Naming): string {
  return naming === 'file' ? file.fileName.normalize('NFC') : stemOf(file);
}

/**
 * Without its extension. In "Report v1.2" there is none: what is unknown and begins
 * with a digit belongs to the name.
 */
export function stemOf({ fileName, mimeType }: NamedFile): string {
  const name = fileName.normalize('NFC');
  const [, stem = '', extension = ''] = /^(.+)\.([A-Za-z0-9]{1,10})$/.exec(name) ?? [];
  const isExtension = /^[A-Za-z]/.test(extension) || mimeType !== 'application/octet-stream';
  return stem !== '' && isExtension ? stem : name;
}
