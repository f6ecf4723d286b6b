// Which files are not among the attachments of an observation yet.
import { isSameText } from '../../workflows/run/decide/same-text';

/**
 * Files are found by their names. The service may have given one another name, so an attachment that is left
 * over then stands for one file that was not found. `unclear`: there are fewer of these than files, so nobody
 * can tell which of the files they are; nothing may be attached a second time. `others`: what attachments are
 * called that were there before, and so stand for none of the files that have other names.
 */
export function findMissing(
  paths: readonly string[],
  attachments: readonly (readonly string[])[],
  others: readonly string[] = [],
): readonly string[] | 'unclear' {
  const isNamedSo = (path: string, names: readonly string[]) =>
    names.some(name => isSameText(name, path.split('/').at(-1) ?? path));
  const notFound = paths.filter(path => !attachments.some(names => isNamedSo(path, names)));
  const leftOver = attachments.filter(
    names => !others.includes(firstOf(names)) && !paths.some(path => isNamedSo(path, names)),
  );
  if (leftOver.length === 0) return notFound;
  return leftOver.length >= notFound.length ? [] : 'unclear';
}

/** What an attachment is called; empty where it has no name. */
export function firstOf([first = '']: readonly string[]): string {
  return first;
}
