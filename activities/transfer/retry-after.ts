// The Retry-After header (RFC 9110, section 10.2.3). Pure.

/** Milliseconds to wait from `nowMs`; `undefined` for what is neither seconds nor a date. Never negative. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Bare numbers would be taken for years.
  if (!/^[A-Za-z]{3,9},? /.test(text)) return undefined;
  // A date without a zone is GMT's (RFC 9110), not that of this machine.
  const atMs = Date.parse(/gmt|utc|[+-]\d{4}$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
