// From the bytes of a CSV to its text. Nothing in the file says how it is encoded; a wrong guess turns "Höhe"
// into "HÃ¶he" in a permanent record, so what fits nothing is refused rather than guessed.
import type { CsvDialect } from './csv-dialect';
import { SheetError, tornSheet } from './sheet-error';
import { decodeWindows1252, isLikelyWindows1252 } from './windows-1252';

export interface DecodedCsv extends Pick<CsvDialect, 'encoding' | 'bom'> {
  readonly text: string;
}

/** So much of a file tells whether it is UTF-16 without a byte order mark. */
const SAMPLE_BYTES = 4096;

/** @throws SheetError torn, wrong-kind or bad-encoding. */
export function decodeCsv(bytes: Buffer): DecodedCsv {
  const decoded = decodeBytes(bytes);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no text has them, every other kind of file does
  if (/[\0-\x08\x0e-\x1f]/.test(decoded.text)) {
    throw new SheetError(
      'wrong-kind',
      'This is no text, though it is named .csv. Save the register as .csv.',
    );
  }
  return decoded;
}

function decodeBytes(bytes: Buffer): DecodedCsv {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    const text = decodeUtf8(bytes.subarray(3));
    if (text === undefined) throw mixedEncodings();
    return { encoding: 'utf-8', bom: true, text };
  }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16(bytes.subarray(2), 'utf-16le', true);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16(bytes.subarray(2), 'utf-16be', true);
  const guessed = guessUtf16(bytes);
  if (guessed !== undefined) return decodeUtf16(bytes, guessed, false);
  const utf8 = decodeUtf8(bytes);
  if (utf8 !== undefined) return { encoding: 'utf-8', bom: false, text: utf8 };
  return decodeSingleBytes(bytes);
}

/** Undefined when it is not UTF-8; torn when only its last character is cut off. */
function decodeUtf8(bytes: Buffer): string | undefined {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text: string;
  try {
    text = decoder.decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
  try {
    return text + decoder.decode();
  } catch (error: unknown) {
    // "é" alone at the very end is as likely to be Windows-1252 as a torn character.
    if (hasNonAscii(text)) throw tornSheet(error);
    return undefined;
  }
}

function decodeUtf16(bytes: Buffer, encoding: 'utf-16le' | 'utf-16be', bom: boolean): DecodedCsv {
  if (bytes.length % 2 !== 0) throw tornSheet();
  const little = encoding === 'utf-16le' ? bytes : Buffer.from(bytes).swap16();
  try {
    const text = new TextDecoder('utf-16le', { fatal: true, ignoreBOM: true }).decode(little);
    return { encoding, bom, text };
  } catch (error: unknown) {
    throw tornSheet(error);
  }
}

/** Western text in UTF-16 has a zero in every other byte; what else has zeros is no text at all. */
function guessUtf16(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  sample.forEach((byte, at) => {
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  const many = sample.length / 8;
  if (odd > many && even === 0) return 'utf-16le';
  return even > many && odd === 0 ? 'utf-16be' : undefined;
}

function decodeSingleBytes(bytes: Buffer): DecodedCsv {
  let [broken, whole] = [0, 0];
  for (const character of bytes.toString('utf8')) {
    if (character === '\uFFFD') broken += 1;
    else if (character > '\x7f') whole += 1;
  }
  // Rows of two programs pasted into one file: either reading would spoil the other's letters.
  if (whole > broken) throw mixedEncodings();
  const text = decodeWindows1252(bytes);
  if (text === undefined || !isLikelyWindows1252(text)) throw mixedEncodings();
  return { encoding: 'windows-1252', bom: false, text };
}

function hasNonAscii(text: string): boolean {
  return /[^\0-\x7f]/.test(text);
}

function mixedEncodings(): SheetError {
  return new SheetError(
    'bad-encoding',
    'The letters of this CSV cannot be read for certain. Save it as "CSV UTF-8" or as .xlsx, and drop it again.',
  );
}
