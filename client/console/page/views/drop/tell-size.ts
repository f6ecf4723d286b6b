// Sizes as people read them: decimal, with two figures below 100 and three from there on. Bytes are exact.
const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

export function tellSize(bytes: number, locale: string | undefined): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  const told = value.toLocaleString(
    locale,
    unit === 0 ? {} : { maximumSignificantDigits: value < 100 ? 2 : 3 },
  );
  return `${told} ${UNITS[unit]}`;
}
