// How texts that people wrote are compared: case, white space around and between words, the Unicode form,
// and `_` for a space do not count.

/** Two texts are the same if this gives the same for both. */
export function foldText(text: string): string {
  return text.normalize('NFKC').replaceAll('_', ' ').trim().replace(/\s+/g, ' ').toLowerCase();
}
