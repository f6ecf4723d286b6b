// What fields are called in headers and elsewhere, by the project and usually: so most registers need no
// configuration.
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
  { name: 'number', label: 'Number' },
  { name: 'title', label: 'Title' },
  { name: 'description', label: 'Description' },
  { name: 'revision', label: 'Revision' },
  { name: 'status', label: 'Status' },
  { name: 'type', label: 'Type' },
  { name: 'discipline', label: 'Role' },
  { name: 'originator', label: 'Author' },
  { name: 'revision date', label: 'Date' },
];

/**
 * What registers call fields that the service has by these names. A project that uses such a word for a field
 * of its own means that one.
 */
const USUAL_WORDS: Readonly<Record<string, readonly string[]>> = {
  number: [
    ...['document no', 'document nr', 'document number', 'doc no', 'doc nr', 'doc number'],
    ...['drawing no', 'drawing nr', 'drawing number'],
  ],
  title: ['document title'],
  description: ['document description'],
  revision: ['rev', 'rev no', 'rev nr', 'revision no', 'revision nr', 'revision number'],
  status: ['suitability', 'suitability code'],
  type: ['document type', 'doc type'],
};

const FIELD_OF_WORD: ReadonlyMap<string, string> = new Map(
  Object.entries(USUAL_WORDS).flatMap(([field, words]) => words.map(word => [word, field] as const)),
);

/** The name of the field that a header usually stands for, where nobody has said more of it. */
export function usualFieldOf(header: string): string | undefined {
  return FIELD_OF_WORD.get(foldHeader(header.replaceAll('.', ' ')));
}

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

/**
 * Finds the field a person means by its name or label, whatever the case, or by a usual word for it: what a
 * sheet corrects is answered by the sheet's headers. Undefined when none or several fit.
 */
export function findField<F extends KnownField>(fields: readonly F[], given: string): F | undefined {
  const usual = usualFieldOf(given);
  if (usual === undefined) return findByName(fields, given);
  const wanted = foldText(given);
  const isNamed = fields.some(({ name, label }) => [name, label].some(each => foldText(each) === wanted));
  return findByName(fields, isNamed ? given : usual);
}

/** Finds the field by its name or label alone; undefined when none or several fit. */
export function findByName<F extends KnownField>(fields: readonly F[], nameOrLabel: string): F | undefined {
  const wanted = foldText(nameOrLabel);
  const byName = fields.filter(field => foldText(field.name) === wanted);
  const found = byName.length > 0 ? byName : fields.filter(field => foldText(field.label) === wanted);
  return found.length === 1 ? found[0] : undefined;
}
