// The header that our receiver knows events by, and whether a text of the service quotes its secret.
import type { Secret } from '../service/secret';

/** So many characters of a secret, from its beginning or its end, show that it is quoted. */
const ECHO_CHARACTERS = 10;

/** What the service sends to the destination with every event, so that the receiver knows it. */
export interface WebhookHeader {
  readonly name: string;
  readonly value: Secret;
  /** The one before it, as long as it is configured: deliveries of its time may quote it. */
  readonly former?: readonly Secret[] | undefined;
}

/** The present one and those before it. */
export function secretsOf(header: WebhookHeader | undefined): readonly string[] {
  return header === undefined ? [] : [header.value, ...(header.former ?? [])].map(secret => secret.reveal());
}

/** Texts are cut at some length, and with them perhaps the secret: its beginning or its end is enough. */
export function echoes(text: string, secrets: readonly string[]): boolean {
  const said = withoutEscapes(text);
  return secrets
    .map(withoutEscapes)
    .some(
      bare =>
        bare !== '' &&
        (said.includes(bare.slice(-ECHO_CHARACTERS)) || said.includes(bare.slice(0, ECHO_CHARACTERS))),
    );
}

/** Quotes and backslashes are written otherwise inside of JSON. */
function withoutEscapes(text: string): string {
  return text.replaceAll(/["\\]/g, '');
}
