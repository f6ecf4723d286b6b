// A folder of photos with one row an item beside them: read, checked as a whole, and the
// photos put where workers see them.

import { createHash, hash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { troubleOf } from '../../activities/host/file-trouble';
import { isIgnoredName } from '../../activities/registers/words/ignored-names';
import { ATTACHMENTS_FOLDER } from '../../activities/share/drop/attachments';
import { isInnerPath } from '../../activities/share/files/relative-path';
import { createNodeShareFs, Place, type ShareFs } from '../../activities/share/files/share-fs';
import { nameOnce } from '../../activities/share/files/write-whole';
import { type ObservationItem, observationItem } from '../../workflows/observations/observation-contract';
import { toComparable } from '../../workflows/run/decide/same-text';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { copyDraft, openTarget, readNamed } from '../session/named-file';
import { type RowForm, readRows, toRowsError } from './read-rows';

const ROW_FILES = ['observations.csv', 'observations.json'] as const;
const MOST_ROWS = 2_000;
/** Far more than so many rows take. */
const MOST_BYTES = 32 * 1024 ** 2;

/** Columns of a CSV file, as people may write them. */
const COLUMNS: Readonly<Record<string, keyof z.input<typeof row>>> = {
  type: 'type',
  name: 'name',
  title: 'name',
  description: 'description',
  priority: 'priority',
  duedate: 'dueDate',
  due: 'dueDate',
  assignee: 'assignee',
  distribution: 'distribution',
  locationid: 'locationId',
  tradeid: 'tradeId',
  number: 'number',
  personal: 'personal',
  private: 'personal',
  photo: 'photos',
  photos: 'photos',
  attachments: 'photos',
};

const row = z.strictObject({
  ...observationItem.shape,
  photos: z
    .array(
      z
        .string()
        .refine(isInnerPath, { error: 'a file in the folder, such as "axis-c.jpg" or "day 1/axis-c.jpg"' }),
    )
    .max(50)
    .default([]),
});

const FORM: RowForm<unknown> = {
  columns: COLUMNS,
  delimiterOf: heading => (heading.split(';').length > heading.split(',').length ? ';' : ','),
  toCell,
  isEntry: (_value): _value is unknown => true,
  example: '[{"type": "...", "name": "..."}, ...]',
};

export interface ImportRow {
  /** As people count: the line of the CSV file, or the place in the JSON list. */
  readonly place: string;
  readonly item: ObservationItem;
  /** Relative to the folder. */
  readonly photos: readonly string[];
}

export interface ObservationImport {
  readonly rows: readonly ImportRow[];
  /** Files that no row names. */
  readonly unused: readonly string[];
}

/** Reads and checks everything before anything happens. Throws CliError with all that is wrong. */
export async function readObservationImport(folder: string, rowsFile?: string): Promise<ObservationImport> {
  const files = await listFiles(folder);
  const name = rowsFile ?? (await findRowsFile(folder, files));
  const raws = readRows(name, (await readNamed([{ folder }], name, MOST_BYTES)).toString('utf8'), FORM);
  const faults: string[] = [];
  const rows: ImportRow[] = [];
  if (raws.length === 0) faults.push('There is no row.');
  if (raws.length > MOST_ROWS) faults.push(`More than ${MOST_ROWS} rows; split the file.`);
  for (const { place, value } of raws.slice(0, MOST_ROWS)) {
    const parsed = row.safeParse(value);
    faults.push(...missingPhotos(value, files).map(photo => `${place}: there is no file "${photo}"`));
    if (!parsed.success) {
      faults.push(
        ...parsed.error.issues.map(
          ({ path, message }) => `${place}, ${path.join('.') || 'the row'}: ${message}`,
        ),
      );
      continue;
    }
    const { photos, ...item } = parsed.data;
    rows.push({ place, item, photos });
  }
  faults.push(...findTwins(rows));
  if (faults.length > 0) throw toRowsError(name, faults);
  const named = new Set(rows.flatMap(({ photos }) => photos));
  return { rows, unused: files.filter(file => !named.has(file) && !isRowsFile(file, name)) };
}

/**
 * Copies a photo to the folder for attachments of a share, into a folder named after its content: whole or
 * not at all, never over another file. No link below either folder is followed.
 * @param photo relative to the folder. @returns its path in the folder for attachments.
 * @throws CliError when it is no ordinary file, or when other content has its place.
 */
export async function bringAttachment(shareFolder: string, folder: string, photo: string): Promise<string> {
  if (!(await isFolder(shareFolder)))
    throw new CliError(`The share's folder ${shareFolder} is not there. Is it mounted?`);
  const fs = createNodeShareFs();
  const root = await fs.realpath(shareFolder);
  const source = { base: await fs.realpath(folder), path: '', isShared: true };
  const attachments = await openTarget(fs, root, ATTACHMENTS_FOLDER);
  try {
    // Hashed while it is copied: its folder is named after what lies in it, whatever becomes of the photo.
    const hashing = createHash('sha256');
    let sizeBytes = 0;
    const draft = await copyDraft(fs, { ...source, path: join(source.base, photo) }, attachments, bytes => {
      hashing.update(bytes);
      sizeBytes += bytes.length;
    });
    try {
      return await nameAttachment(fs, root, draft, {
        name: basename(photo),
        sha256: hashing.digest('hex'),
        sizeBytes,
      });
    } finally {
      await fs.unlink(draft).catch(() => undefined);
    }
  } finally {
    await attachments.close();
  }
}

interface Content {
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** Gives the copy its name below the folder for attachments, unless the same lies there by that name. */
async function nameAttachment(
  fs: ShareFs,
  root: string,
  draft: Place,
  { name, ...content }: Content & { readonly name: string },
): Promise<string> {
  const inner = content.sha256.slice(0, 16);
  const to = await openTarget(fs, root, join(ATTACHMENTS_FOLDER, inner));
  try {
    const place = new Place(to, name);
    if ((await nameOnce(fs, draft, place)) || (await holds(fs, place, content))) return `${inner}/${name}`;
    throw new CliError(
      `${place} is there already, with other content than what is imported: somebody has changed it. Look at it, take it away, and import again.`,
    );
  } finally {
    await to.close();
  }
}

/** Whether it is an ordinary file of this content, as one from an earlier import is. */
async function holds(fs: ShareFs, place: Place, { sha256, sizeBytes }: Content): Promise<boolean> {
  try {
    return hash('sha256', await fs.read(place, sizeBytes)) === sha256;
  } catch (error) {
    const trouble = troubleOf(error);
    if (trouble === 'link' || trouble === 'unsupported' || trouble === 'is-folder') return false;
    if ((await fs.look(place)).sizeBytes > sizeBytes) return false;
    throw error;
  }
}

/** The same for the same row with the same photos, so that importing twice is importing once. */
export function keyOfRow(item: ObservationItem, attachments: readonly string[]): string {
  const sorted = Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([sorted, attachments]))
    .digest('hex')
    .slice(0, 20);
}

/** Photos of a row that are not there, so that they are told together with whatever else is wrong with it. */
function missingPhotos(value: unknown, files: readonly string[]): readonly string[] {
  const parsed = z.object({ photos: row.shape.photos }).safeParse(value);
  return parsed.success ? parsed.data.photos.filter(photo => !files.includes(photo)) : [];
}

async function findRowsFile(folder: string, files: readonly string[]): Promise<string> {
  const found = ROW_FILES.filter(name => files.includes(name));
  const [only] = found;
  if (only !== undefined && found.length === 1) return join(folder, only);
  throw new CliError(
    found.length === 0
      ? `In ${folder} there is no ${ROW_FILES.join(' and no ')}. Put one beside the photos, one row an item, or name one with --rows.`
      : `In ${folder} there are ${found.join(' and ')}. Say with --rows which one counts.`,
    EXIT_CODES.usage,
  );
}

async function listFiles(folder: string): Promise<string[]> {
  if (!(await isFolder(folder))) throw new CliError(`There is no folder ${folder}.`, EXIT_CODES.usage);
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  return names
    .filter(entry => entry.isFile() && !isIgnoredName(entry.name))
    .map(entry =>
      join(entry.parentPath, entry.name).slice(folder.length).replaceAll('\\', '/').replace(/^\/+/, ''),
    )
    .sort();
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    facts => facts.isDirectory(),
    () => false,
  );
}

function toCell(column: string, cell: string): unknown {
  const parts = cell
    .split(/[;|]/)
    .map(part => part.trim())
    .filter(part => part !== '');
  if (column === 'photos') return parts;
  if (column === 'distribution') return cell.toLowerCase() === 'default' ? 'default' : parts;
  if (column === 'personal') {
    if (/^(yes|true|1|x)$/i.test(cell)) return true;
    return /^(no|false|0)$/i.test(cell) ? false : cell;
  }
  return cell;
}

/** Two rows that look the same could not be told apart after a response was lost. */
function findTwins(rows: readonly ImportRow[]): string[] {
  const first = new Map<string, string>();
  return rows.flatMap(({ place, item }) => {
    const texts = [item.type.toLowerCase(), item.name, item.description ?? ''];
    const key = JSON.stringify(texts.map(toComparable));
    const before = first.get(key);
    if (before === undefined) first.set(key, place);
    return before === undefined
      ? []
      : [`${place} has type, name and description of ${before}: make the name or the description differ`];
  });
}

function isRowsFile(file: string, rowsFile: string): boolean {
  return basename(rowsFile) === file || (ROW_FILES as readonly string[]).includes(file);
}
