// Windows-1252 by a table of our own: TextDecoder takes it for Latin-1 in some versions of Node, and
// TextEncoder does not know it.

// What 0x80 to 0x9f stand for; the five bytes that stand for nothing are blanks here.
const HIGH = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/** Undefined when a byte stands for nothing: then the text is of another encoding. */
export function decodeWindows1252(bytes: Buffer): string | undefined {
  let isWhole = true;
  const text = bytes.toString('latin1').replace(/[\x80-\x9f]/g, byte => {
    const character = HIGH[byte.charCodeAt(0) - 0x80] ?? ' ';
    if (character === ' ') isWhole = false;
    return character;
  });
  return isWhole ? text : undefined;
}

/** Undefined when the encoding has no byte for one of the characters. */
export function encodeWindows1252(text: string): Buffer | undefined {
  const bytes = Buffer.alloc(text.length);
  for (let index = 0; index < text.length; index += 1) {
    const byte = BYTES.get(text.charAt(index));
    if (byte === undefined) return undefined;
    bytes[index] = byte;
  }
  return bytes;
}

/** From the way back, so that what is read and what is written can only agree. */
const BYTES: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 256 }, (_, byte) => ({ byte, character: decodeWindows1252(Buffer.of(byte)) })).flatMap(
    ({ byte, character }) => (character === undefined ? [] : [[character, byte] as const]),
  ),
);
