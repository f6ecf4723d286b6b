// Texts of people in a page of ours: nothing in them is ever markup, and what they hide is shown. Pure.

/** For the text of an element and for an attribute in double quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Characters that turn the order of reading, join or hide, and the short name that is shown instead. */
const HIDDEN: ReadonlyMap<number, string> = new Map([
  [0x00_ad, 'SHY'],
  [0x20_0b, 'ZWSP'],
  [0x20_0c, 'ZWNJ'],
  [0x20_0d, 'ZWJ'],
  [0x20_0e, 'LRM'],
  [0x20_0f, 'RLM'],
  [0x20_28, 'LSEP'],
  [0x20_29, 'PSEP'],
  [0x20_2a, 'LRE'],
  [0x20_2b, 'RLE'],
  [0x20_2c, 'PDF'],
  [0x20_2d, 'LRO'],
  [0x20_2e, 'RLO'],
  [0x20_60, 'WJ'],
  [0x20_66, 'LRI'],
  [0x20_67, 'RLI'],
  [0x20_68, 'FSI'],
  [0x20_69, 'PDI'],
  [0xfe_ff, 'BOM'],
]);

/**
 * A name or a sentence as markup: in a direction of its own, with what cannot be seen as small tags, and
 * spaces at its ends as dots. A half character shows as a replacement.
 */
export function showText(text: string): string {
  const marked = text
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/^ +| +$/g, spaces => '·'.repeat(spaces.length));
  const shown = [...marked].map(character => {
    const tag = tagOf(character);
    return tag === undefined ? escapeHtml(character) : `<small>${tag}</small>`;
  });
  return `<bdi>${shown.join('')}</bdi>`;
}

function tagOf(character: string): string | undefined {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x0a) return '↵';
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return toCode(code);
  return HIDDEN.get(code) ?? (/\p{Cf}/u.test(character) ? toCode(code) : undefined);
}

function toCode(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
