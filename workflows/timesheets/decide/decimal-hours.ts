// Hours as decimal texts, read and compared: integers throughout, since money hangs on it.

/**
 * A decimal text of hours (`8`, `8.0`, `7.25`) as ten-thousandths of an hour; undefined when it is none of 0
 * to 24.
 */
export function parseHours(text: string): number | undefined {
  const match = /^(\d{1,2})(?:\.(\d{1,4})0*)?$/.exec(text.trim());
  if (match === null) return undefined;
  const value = Number(match[1]) * 10_000 + Number((match[2] ?? '').padEnd(4, '0'));
  return value <= 240_000 ? value : undefined;
}

/** Whether two decimal texts mean the same time, to the minute: services keep two decimals or more. */
export function isSameTime(hours: string, other: string): boolean {
  const [a, b] = [parseHours(hours), parseHours(other)];
  return (
    a !== undefined && b !== undefined && Math.round((a * 60) / 10_000) === Math.round((b * 60) / 10_000)
  );
}
