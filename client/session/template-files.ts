// The files of a folder as rows of a template: what their names and folders give by the share's patterns.
import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ProjectRules } from '../../activities/ingest/decide/project-rules';
import { findField } from '../../activities/registers/column-words';
import { compareNatural } from '../../activities/registers/natural-order';
import { compileRegisterNames } from '../../activities/registers/register-name';
import type { TemplateFile } from '../../activities/registers/template/template-workbook';
import { compileNamePatterns, readNameValues } from '../../activities/share/drop/name-values';
import { SHARE_DEFAULTS, type ShareConfig } from '../../activities/share/share-config';
import { CliError, EXIT_CODES } from './cli-error';
import { pathsInDrop } from './preview-names';

/** As many as a register may have rows, with room for its header. */
const MOST_FILES = 49_000;

/** In natural order (`A-2` before `A-10`). A file with the name of a register gets no row: it is one. */
export async function listTemplateFiles(
  share: ShareConfig,
  folder: string,
  { fields }: ProjectRules,
): Promise<readonly TemplateFile[]> {
  await requireFolder(share, folder);
  const patterns = compileNamePatterns(share);
  const isRegister = compileRegisterNames(share.register?.pattern);
  const files: TemplateFile[] = [];
  for await (const path of pathsInDrop(share, [folder])) {
    // Patterns read the path with the dropped folder in front; a register names files by the path below it.
    const below = path.slice(path.indexOf('/') + 1);
    if (isRegister(path)) continue;
    if (files.length >= MOST_FILES) {
      throw new CliError(`${folder} has more than ${MOST_FILES} files; a register cannot list so many.`);
    }
    const values = Object.entries(readNameValues(path, patterns)).flatMap(([key, value]) => {
      const field = findField(fields, key);
      return field === undefined ? [] : [[field.name, typeof value === 'string' ? value : value.join('; ')]];
    });
    files.push({ path: below, values: Object.fromEntries(values) });
  }
  return files.sort((one, other) => compareNatural(one.path, other.path));
}

async function requireFolder(share: ShareConfig, folder: string): Promise<void> {
  const place = resolve(folder);
  const kind = await lstat(place).catch(() => undefined);
  if (kind?.isDirectory() !== true) throw new CliError(`There is no folder ${folder}.`, EXIT_CODES.usage);
  if (place === resolve(join(share.folder, share.drop ?? SHARE_DEFAULTS.drop))) {
    throw new CliError(
      `${folder} is the drop folder: a register belongs to one folder in it. Name that.`,
      EXIT_CODES.usage,
    );
  }
}
