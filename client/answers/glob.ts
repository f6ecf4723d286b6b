// Patterns as people write them for file names: `A-*`, `plans/**/A-?0?.pdf`. Pure.
import { withoutEnding } from '../../activities/registers/match-files';

/** `*` is any part of a name, `**` any folders as well, `?` one character. */
const PIECES: readonly (readonly [piece: RegExp, meaning: string])[] = [
  [/\*\*\//y, '(?:.*/)?'],
  [/\*\*/y, '.*'],
  [/\*/y, '[^/]*'],
  [/\?/y, '[^/]'],
];

/**
 * Whether a document's path fits. In any case; without a slash the pattern is for the file's name alone, with
 * one for the path from any of its folders on. The ending may be left out.
 */
export function compileGlob(glob: string): (path: string) => boolean {
  const text = glob.trim().normalize('NFC').replaceAll('\\', '/').replace(/^\/+/, '');
  const wanted = new RegExp(`^(?:.*/)?${translate(text)}$`, 'isu');
  return path => {
    const written = path.normalize('NFC');
    return wanted.test(written) || wanted.test(withoutEnding(written));
  };
}

function translate(text: string): string {
  let source = '';
  for (let at = 0; at < text.length; ) {
    const found = PIECES.find(([piece]) => {
      piece.lastIndex = at;
      return piece.test(text);
    });
    source += found === undefined ? escapeCharacter(text.charAt(at)) : found[1];
    at = found === undefined ? at + 1 : found[0].lastIndex;
  }
  return source;
}

function escapeCharacter(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}
