// Windows-1252 by a table of our own: TextDecoder takes it for Latin-1 in some versions of Node, and
// TextEncoder does not know it.

// What 0x80 to 0x9f stand for; the five bytes that stand for nothing are blanks here.
const HIGH = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/** By byte, the unit of UTF-16 that it stands for; 0 for none. */
const UNITS = Uint16Array.from({ length: 256 }, (_, byte) => {
  const high = byte < 0x80 || byte > 0x9f ? byte : HIGH.charCodeAt(byte - 0x80);
  return high === 0x20 && byte !== 0x20 ? 0 : high;
});

/**
 * What stands between two letters and is neither a letter, nor a sign that does so in Windows-1252:
 * apostrophes, dashes, points, `×`, `°`, a blank, a hyphen that is not seen; `²` of a unit (W/m²K), `®` of
 * a name (Isokorb®T). It is a letter elsewhere.
 */
const STRANGE_WITHIN_WORD = /(?<=\p{L})[^\0-\x7f\p{L}’‘–—·´×°²®\xa0\xad](?=\p{L})/u;

/** Whether a text in Windows-1252 is one that somebody can have written: not letters of another encoding. */
export function isLikelyWindows1252(text: string): boolean {
  // No program that ends lines like this writes it.
  const isMacintosh = text.includes('\r') && !text.includes('\n') && /[^\0-\x7f]/.test(text);
  return !isMacintosh && !STRANGE_WITHIN_WORD.test(text);
}

/** Undefined when a byte stands for nothing: then the text is of another encoding. */
export function decodeWindows1252(bytes: Buffer): string | undefined {
  const text = Buffer.allocUnsafe(bytes.length * 2);
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const unit = UNITS[byte] ?? 0;
    if (unit === 0 && byte !== 0) return undefined;
    text.writeUInt16LE(unit, at * 2);
  }
  return text.toString('utf16le');
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

const BYTES: ReadonlyMap<string, number> = new Map(
  [...UNITS].flatMap((unit, byte) => (unit === 0 && byte !== 0 ? [] : [[String.fromCharCode(unit), byte]])),
);
