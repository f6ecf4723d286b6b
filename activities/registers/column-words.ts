// What the columns of registers are usually called, so that most of them need no configuration.
import { foldText } from '../host/fold-text';

/** A field that a column may stand for, by its name or label. */
export interface KnownField {
  readonly name: string;
  readonly label: string;
}

/** The column that says which file a row is about. */
const FILE_HEADERS: ReadonlySet<string> = new Set([
  'file',
  'file name',
  'filename',
  'file path',
  'filepath',
  'document file',
  'electronic file',
  'electronic file name',
  'datei',
  'dateiname',
  'dateipfad',
  'bestand',
  'bestandsnaam',
  'fichier',
  'nom de fichier',
  'nom du fichier',
  'fil',
  'filnavn',
  'filnamn',
  'tiedosto',
  'archivo',
  'nombre de archivo',
  'file nome',
  'nome file',
  'plik',
  'nazwa pliku',
  'soubor',
]);

/**
 * Fields that tell a register from another list of files where the project's own are not known: on the
 * share, before the service is asked.
 */
export const USUAL_FIELDS: readonly KnownField[] = [
  { name: 'number', label: 'Document No' },
  { name: 'document number', label: 'Doc No' },
  { name: 'drawing number', label: 'Drawing No' },
  { name: 'title', label: 'Document Title' },
  { name: 'description', label: 'Document Description' },
  { name: 'revision', label: 'Rev' },
  { name: 'status', label: 'Suitability' },
  { name: 'type', label: 'Document Type' },
  { name: 'discipline', label: 'Role' },
  { name: 'originator', label: 'Author' },
  { name: 'revision date', label: 'Date' },
];

/** Two headers are the same when this gives the same: marks of required columns and a colon do not count. */
export function foldHeader(header: string): string {
  return foldText(
    foldText(header)
      // Only from where such a run begins: else the time grows with the square of its length.
      .replace(/(?<![\s*:.])[\s*:.]+$/, '')
      .replace(/^[\s*]+/, ''),
  );
}

export function isFileHeader(header: string): boolean {
  return FILE_HEADERS.has(foldHeader(header));
}
