// What a row says in a column Action is to become of its file.

export type Action = 'send' | 'set-apart' | 'auto' | 'new' | 'supersede';

const WORDS: ReadonlyMap<string, Action> = new Map([
  ['send', 'send'],
  ['set apart', 'set-apart'],
  ['auto', 'auto'],
  ['new', 'new'],
  ['new only', 'new'],
  ['supersede', 'supersede'],
  ['supersede only', 'supersede'],
]);

/** Undefined for any other word: those are the sender's own. */
export function readAction(text: string | undefined): Action | undefined {
  const word = text
    ?.normalize('NFKC')
    .replaceAll(/[\s_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return WORDS.get(word ?? '');
}
