// Keeps secrets out of messages by construction: whatever prints, serialises or inspects one shows `***`.
import { inspect } from 'node:util';

const MASK = '***';

/** A text that only `reveal()` gives away. Compare and store the wrapper, reveal at the moment of use. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [Symbol.toPrimitive](): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}

/**
 * Text of foreign origin made fit for messages: known secrets, bearer values, signatures and the query of
 * every URL (even if only a piece of the URL is left) are masked; control characters are dropped, and it is
 * at most `maxLength` characters long.
 */
export function maskForeignText(text: string, secrets: readonly string[] = [], maxLength = 300): string {
  // Cut generously first: masking must see a secret whole, but a 5 MB body need not be searched.
  let masked = withoutCutSecret(text, maxLength * 20, secrets);
  for (const secret of secrets) {
    if (secret.length >= 4) masked = masked.replaceAll(secret, MASK);
  }
  masked = masked
    .replace(/\b(https?:\/\/[^\s?#"'<>]{0,500})[?#][^\s"'<>]*/gi, `$1?${MASK}`)
    .replace(/\?[\w.~%+-]{1,100}=[^\s"'<>]*/g, `?${MASK}`)
    .replace(/([\w-]{0,60}(?:signature|credential|security-token)=)[^\s&"'<>]+/gi, `$1${MASK}`)
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]{4,}/gi, `$1 ${MASK}`)
    .replace(
      /\b(access_token|refresh_token|client_secret)(["']?\s*[:=]\s*["']?)[^\s"'&,}]{4,}/gi,
      `$1$2${MASK}`,
    )
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed here.
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ')
    .trim();
  return masked.length > maxLength ? `${masked.slice(0, maxLength - 1)}…` : masked;
}

/** The beginning of the text, without the part of a secret that the cut may have left at its end. */
function withoutCutSecret(text: string, length: number, secrets: readonly string[]): string {
  const beginning = text.slice(0, length);
  if (beginning.length === text.length) return text;
  const cut = secrets.map(secret => {
    for (let part = Math.min(secret.length - 1, length); part > 0; part--) {
      if (beginning.endsWith(secret.slice(0, part))) return part;
    }
    return 0;
  });
  return beginning.slice(0, length - Math.max(0, ...cut));
}
