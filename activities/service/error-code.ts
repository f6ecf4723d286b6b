// The `code` of errors that other people's code throws (Node, undici). Realms differ under Jest, so no `instanceof`.

/** `code` of an error; empty when it has none. */
export function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

/** `code` of an error, else of what it wraps: its cause, or the first of several. */
export function innerCodeOf(error: unknown, depth = 0): string {
  const code = codeOf(error);
  if (code !== '' || depth > 3) return code;
  const wrapper = error as { readonly cause?: unknown; readonly errors?: unknown } | null | undefined;
  if (Array.isArray(wrapper?.errors)) return innerCodeOf(wrapper.errors[0], depth + 1);
  return wrapper?.cause === undefined ? '' : innerCodeOf(wrapper.cause, depth + 1);
}
