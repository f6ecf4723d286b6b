// Whether a part of a workbook is XML as a program writes it. The library takes what it can make out of
// broken XML, with cells lost or scraps of it in their texts; spreadsheet programs refuse it, and so do we.

/**
 * True for tags that close in their order, attributes once and in quotation marks, known entities, proper
 * UTF-8 and no document type. The source of this function runs in a thread (workbook-thread.ts), so it uses
 * nothing from outside itself.
 */
export function isWholeXml(bytes: Uint8Array): boolean {
  const ENTITY = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)/;
  /** A numeric entity for half of a character that takes two units of UTF-16. */
  const HALF =
    /&#x0*d[89a-f][0-9a-f]{2};|&#0*5(?:529[6-9]|5[3-9]\d{2}|6\d{3}|7[0-2]\d{2}|73[0-3]\d|734[0-3]);/i;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has none of these, not even as numbers
  const NO_CHARACTER = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;
  const TWICE =
    /\s([^\s=]+)\s*=\s*(?:"[^"]*"|'[^']*')(?:\s+[^\s=]+\s*=\s*(?:"[^"]*"|'[^']*'))*?\s+\1\s*=\s*["']/;
  // A comment, a declaration or CDATA; an end tag; a start tag with its attributes; text.
  const TOKEN =
    /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[[\s\S]*?\]\]>|<\/([^\s<>/]+)\s*>|<([A-Za-z_:\x80-\uffff][\w:.\x80-\uffff-]*)((?:\s+[A-Za-z_:\x80-\uffff][\w:.\x80-\uffff-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/y;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return false;
  }
  if (NO_CHARACTER.test(text)) return false;
  const open: string[] = [];
  let roots = 0;
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (match === null) return false;
    const [, closed, opened, attributes = '', isEmpty, words] = match;
    if (words !== undefined) {
      const isOutside = open.length === 0 && words.trim() !== '';
      if (isOutside || ENTITY.test(words) || HALF.test(words) || words.includes(']]>')) return false;
    } else if (closed !== undefined) {
      if (open.pop() !== closed) return false;
    } else if (opened !== undefined) {
      if (ENTITY.test(attributes) || TWICE.test(attributes)) return false;
      if (open.length === 0) roots += 1;
      if (isEmpty === '') open.push(opened);
    }
  }
  return open.length === 0 && roots === 1;
}
