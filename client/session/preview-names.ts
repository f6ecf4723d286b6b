// What each file would be called in the service, and by what the service would match it to a document there:
// decided as the workers decide it.
import { lstat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { wishName } from '../../activities/ingest/decide/name-document';
import { isNameComputed } from '../../activities/ingest/decide/plan-document';
import type { ProjectRules } from '../../activities/ingest/decide/project-rules';
import { mimeTypeOf } from '../../activities/share/drop/drop-names';
import { compileNamePatterns, readNameValues } from '../../activities/share/drop/name-values';
import { scanDrop } from '../../activities/share/drop/scan-drop';
import { isInnerPath, nameOf } from '../../activities/share/files/relative-path';
import { createNodeShareFs } from '../../activities/share/files/share-fs';
import { SHARE_DEFAULTS, type ShareConfig } from '../../activities/share/share-config';
import type { ValuesByField } from '../../workflows/contract';
import { insideOf } from './bring-into-drop';
import { CliError, EXIT_CODES } from './cli-error';

export interface NamePreview {
  /** Relative to the drop folder. */
  readonly path: string;
  readonly nameFrom: 'pattern' | 'naming-standard' | 'documentName' | 'service';
  /** null: the service gives it, from what it sees of the file. */
  readonly name: string | null;
  /** What the service finds documents by (`match_criteria`); null while it alone knows the name. */
  readonly matches: string | null;
  /** What the patterns read from folder and name. */
  readonly values: ValuesByField;
}

/** Rules for a project that was not asked: enough to find a name that a pattern gives. */
export const UNKNOWN_PROJECT: ProjectRules = {
  requirements: [],
  fields: [{ id: '', name: 'name', label: 'Name', type: 'string', isUserReference: false }],
};

export function previewName(config: ShareConfig, path: string, rules: ProjectRules): NamePreview {
  const { policy } = config;
  const values = readNameValues(path, compileNamePatterns(config));
  const file = { fileName: nameOf(path), mimeType: mimeTypeOf(path), values };
  const wish = wishName(rules, file, policy.naming);
  if (!wish.isFirm) {
    const nameFrom = isNameComputed(rules) ? 'naming-standard' : 'service';
    return { path, nameFrom, name: null, matches: null, values };
  }
  const ofFile = wishName(rules, { ...file, values: {} }, policy.naming);
  const isGiven = !ofFile.isFirm || ofFile.text !== wish.text;
  return {
    path,
    nameFrom: isGiven ? 'pattern' : 'documentName',
    name: wish.text,
    matches: `${wish.text}|${file.mimeType}`,
    values,
  };
}

/**
 * Paths as they are or would be in the drop folder: of what lies there, of files and folders from elsewhere
 * as if they were copied there, and of names that are nowhere yet. Nothing is moved, and nothing is opened.
 */
export async function* pathsInDrop(share: ShareConfig, files: readonly string[]): AsyncGenerator<string> {
  const drop = resolve(share.folder, share.drop ?? SHARE_DEFAULTS.drop);
  if (files.length === 0) yield* filesBelow(drop, '');
  for (const file of files) {
    const place = resolve(file);
    const inside = insideOf(drop, place);
    const kind = await lstat(place).catch(() => undefined);
    if (inside !== undefined) {
      if (kind?.isDirectory() === true) yield* filesBelow(drop, inside);
      else yield inside;
    } else if (kind?.isDirectory() === true) {
      yield* filesBelow(dirname(place), basename(place));
    } else if (kind !== undefined) {
      yield basename(place);
    } else if (isInnerPath(file)) {
      yield file;
    } else {
      throw new CliError(`There is no file ${file}, and it is no name below ${drop}.`, EXIT_CODES.usage);
    }
  }
}

async function* filesBelow(root: string, under: string): AsyncGenerator<string> {
  const isThere = await lstat(join(root, under)).then(
    () => true,
    () => false,
  );
  if (!isThere) throw new CliError(`The drop folder ${root} is not there.`);
  for await (const { path } of scanDrop(createNodeShareFs(), root, { under })) yield path;
}
