// A bug in one line: what was thrown, and where. The whole stack belongs in the log.

/**
 * The place is what finds a bug; the message may quote anything, so it is short.
 * @param mask what is kept of the message; its first 200 characters when absent.
 */
export function describeBug(error: unknown, mask = (message: string) => message.slice(0, 200)): string {
  const facts = error as { readonly stack?: unknown } | null | undefined;
  const place = /\n\s+at (?:async )?([\w.#<>$ ]{1,80}?) ?\(?[^\n]*?([\w.-]+:\d+:\d+)/.exec(
    typeof facts?.stack === 'string' ? facts.stack : '',
  );
  const where = place === null ? '' : ` at ${place[1] ?? ''} (${place[2] ?? ''})`;
  return `${nameOf(error) || 'unknown error'}: ${mask(messageOf(error))}${where}`;
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  const message = (error as { readonly message?: unknown } | null | undefined)?.message;
  return typeof message === 'string' ? message : `a thrown ${typeof error}`;
}

/** The name of its class, as far as it says. */
export function nameOf(error: unknown): string {
  const name = (error as { readonly name?: unknown } | null | undefined)?.name;
  return typeof name === 'string' ? name.slice(0, 60) : '';
}
