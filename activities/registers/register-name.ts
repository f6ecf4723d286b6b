// Whether a file is a register by its name alone.
import { RE2JS } from 're2js';
import { hasSheetEnding } from './sheet/read-sheet';

const USUAL_NAMES = 'register|transmittal|document[ _-]*list';

/**
 * Says of a path below the drop folder whether its name is a register's, also of a kind of sheet that is not
 * read: taken for a document, it and its files would be sent without what it says.
 */
export type RegisterNames = (path: string) => boolean;

/**
 * From `register.pattern`, a regular expression that has to fit somewhere in the name, in any case. Run by an
 * engine whose time grows with the length of the name and no faster: the names are other people's.
 * @throws Error whose message says what is wrong with the pattern.
 */
export function compileRegisterNames(pattern: string = USUAL_NAMES): RegisterNames {
  // Only compiled, never run: its error says what is no regular expression at all.
  new RegExp(pattern, 'u');
  const compiled = compile(pattern);
  return path => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return hasSheetEnding(name) && compiled.matcher(name.normalize('NFC')).find();
  };
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern), RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    const what = (error as Error).message.replace(/^error parsing regexp: /, '');
    throw new Error(`Patterns here cannot do everything that JavaScript's can: ${what}.`, { cause: error });
  }
}
