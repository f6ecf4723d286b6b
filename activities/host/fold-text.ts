// How texts that people wrote are compared: two are the same if these give the same for both.

/** Case, white space around and between words, the Unicode form, and `_` for a space do not count. */
export function foldText(text: string): string {
  return text.normalize('NFKC').replaceAll('_', ' ').trim().replace(/\s+/g, ' ').toLowerCase();
}

/** As the service tells names and numbers of documents apart: composed, without case and spaces around. */
export function foldName(text: string): string {
  return text.normalize('NFC').trim().toLowerCase();
}
