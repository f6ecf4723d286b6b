// The `code` of what was thrown. Neither `instanceof` nor messages hold for errors from elsewhere: under
// Jest, and in a worker thread, they come from another realm.

/** The `code` of anything thrown; undefined when it has none. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' && code !== '' ? code : undefined;
}

/**
 * Whether `error` has one of these codes. The type argument names whose they are, so that no code compiles
 * that nobody throws: `hasCode<ShareErrorCode>(error, 'batch-unknown')`. Without it no code does.
 */
export function hasCode<Code extends string = never>(
  error: unknown,
  ...codes: readonly NoInfer<Code>[]
): boolean {
  const code: unknown = codeOf(error);
  return codes.some(one => one === code);
}

/**
 * The `code` of trouble that is no bug; undefined where `error` is one. Codes that begin with `ERR_` are
 * given by Node itself to the errors of bugs, as to a wrong argument.
 */
export function troubleCodeOf(error: unknown): string | undefined {
  const code = codeOf(error);
  return code?.startsWith('ERR_') === true ? undefined : code;
}

/** The `code` of an error, else of what it wraps: its cause, or the first of several. */
export function innerCodeOf(error: unknown, depth = 0): string | undefined {
  const code = codeOf(error);
  if (code !== undefined || depth > 3) return code;
  const wrapper = error as { readonly cause?: unknown; readonly errors?: unknown } | null | undefined;
  if (Array.isArray(wrapper?.errors)) return innerCodeOf(wrapper.errors[0], depth + 1);
  return wrapper?.cause === undefined ? undefined : innerCodeOf(wrapper.cause, depth + 1);
}
