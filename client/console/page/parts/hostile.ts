// Names as people and their programs write them, made safe to read: what is hidden in them is shown. Pure.

export type Piece = { readonly text: string } | { readonly sign: string };

const SIGNS: Readonly<Record<string, string>> = {
  '\u00ad': 'SHY',
  '\u061c': 'ALM',
  '\u200b': 'ZWSP',
  '\u200e': 'LRM',
  '\u200f': 'RLM',
  '\u202a': 'LRE',
  '\u202b': 'RLE',
  '\u202c': 'PDF',
  '\u202d': 'LRO',
  '\u202e': 'RLO',
  '\u2060': 'WJ',
  '\u2066': 'LRI',
  '\u2067': 'RLI',
  '\u2068': 'FSI',
  '\u2069': 'PDI',
  '\ufeff': 'BOM',
  '\t': 'TAB',
  '\n': 'LF',
  '\r': 'CR',
  '\u2028': 'LS',
  '\u2029': 'PS',
  '\u007f': 'DEL',
};
// Joiners stay as they are: words of some languages, and families of emoji, are written with them.
const HIDDEN = /[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/u;

/** Spaces at either end, which nobody sees, as middle dots. */
export function dotEnds(name: string): string {
  return name.replace(/^ +| +$/g, spaces => '·'.repeat(spaces.length));
}

/** The name in pieces, in order: text that can be read, and the names of signs that are hidden. */
export function toPieces(name: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let text = '';
  for (const sign of name) {
    if (!HIDDEN.test(sign)) {
      text += sign;
      continue;
    }
    if (text !== '') pieces.push({ text });
    text = '';
    pieces.push({
      sign: SIGNS[sign] ?? `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
    });
  }
  if (text !== '') pieces.push({ text });
  return pieces;
}

/** In two, so that the ending stays in sight: the front, which may be cut, and the end, which may not. */
export function splitEnd(name: string, keep = 14): readonly [string, string] {
  const signs = [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment);
  if (signs.length <= keep * 2) return [name, ''];
  return [signs.slice(0, -keep).join(''), signs.slice(-keep).join('')];
}
