// Values of the config file that people write with a unit or by reference:
// durations, sizes, addresses, secrets.
import { isIP } from 'node:net';
import { z } from 'zod';
import { entryOf } from '../../activities/host/entry-of';

const DURATION_UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const SIZE_UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4,
};
const DURATION_EXPECTED =
  'a duration such as "500ms", "5s", "3m", "24h" or "7d", or a number of milliseconds';
const SIZE_EXPECTED = 'a size such as "64KiB", "100MiB" or "5GiB", or a number of bytes';

/** Milliseconds of "5s", "1.5h", 250; undefined when it is no duration. */
export function parseDuration(value: number | string): number | undefined {
  return parseWithUnit(value, DURATION_UNITS);
}

/** Bytes of "5GiB", "10 MB", 1024; undefined when it is no size. */
export function parseSize(value: number | string): number | undefined {
  return parseWithUnit(value, SIZE_UNITS);
}

/** A duration between the bounds (each as people write it); milliseconds after parsing. */
export function duration(least: string, most = '365d') {
  return amount(parseDuration, DURATION_EXPECTED, least, most);
}

/** A size between the bounds (each as people write it); bytes after parsing. */
export function size(least: string, most: string) {
  return amount(parseSize, SIZE_EXPECTED, least, most);
}

/**
 * An origin or base address over http(s), without credentials, query or fragment; no
 * slash at its end after parsing.
 */
export const webAddress = z
  .string({ error: 'an address such as "https://api.example.com"' })
  .transform((text, context) => {
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
      context.addIssue({ code: 'custom', message: 'an address such as "https://api.example.com"' });
      return z.NEVER;
    }
    if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '' || parsed.hash !== '') {
      context.addIssue({ code: 'custom', message: 'an address without user name, password, "?" or "#"' });
      return z.NEVER;
    }
    return text.replace(/\/+$/, '');
  });

/** Where a secret is found; the secret itself never stands in the file. */
export const secretReference = z.union(
  [z.strictObject({ env: z.string().regex(/^[A-Za-z_]\w*$/) }), z.strictObject({ file: z.string().min(1) })],
  {
    error:
      'a reference, {"env": "NAME"} or {"file": "PATH"}: secrets are read from the environment or from a file, never written here',
  },
);
export type SecretReference = z.infer<typeof secretReference>;

function parseWithUnit(value: number | string, units: Readonly<Record<string, number>>): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  const [, digits, unit] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(value) ?? [];
  if (digits === undefined || unit === undefined) return undefined;
  const name = unit.toLowerCase();
  const factor = unit === '' ? 1 : entryOf(units, name);
  return factor === undefined ? undefined : Math.round(Number(digits) * factor);
}

function amount(
  parse: (value: number | string) => number | undefined,
  expected: string,
  least: string,
  most: string,
) {
  const leastValue = parse(least) ?? 0;
  const mostValue = parse(most) ?? Number.MAX_SAFE_INTEGER;
  return z
    .union([z.number(), z.string()], { error: expected })
    .transform((value, context) => {
      const parsed = parse(value);
      if (parsed === undefined || parsed < leastValue || parsed > mostValue) {
        const message = parsed === undefined ? expected : `between ${least} and ${most}`;
        context.addIssue({ code: 'custom', message });
        return z.NEVER;
      }
      return parsed;
    })
    .meta({ examples: [least] });
}

export const listenAddress = z
  .string()
  .regex(/^.+:\d{1,5}$/, { error: 'host:port, such as "127.0.0.1:9464"', abort: true })
  .refine(text => Number(text.slice(text.lastIndexOf(':') + 1)) <= 65_535, {
    error: 'host:port with a port of at most 65535',
  });

/** An address, or a network such as "10.1.0.0/24"; undefined when it is neither. */
export function parsePeer(
  text: string,
): { readonly address: string; readonly bits: number; readonly version: 'ipv4' | 'ipv6' } | undefined {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  const most = version === 4 ? 32 : 128;
  if (version === 0 || Number(bits ?? 0) > most) return undefined;
  return { address, bits: Number(bits ?? most), version: version === 4 ? 'ipv4' : 'ipv6' };
}
