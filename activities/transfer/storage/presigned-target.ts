// Whether a presigned address and its headers may be used, and how it may be spoken of.

import { hash } from 'node:crypto';
import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { UnsafeTargetError } from '../errors';
import type { PresignedSegment } from '../ports';

const MAX_HEADERS = 32;
const MAX_HEADER_BYTES = 8 * 1024;
const MAX_URL_CHARS = 16 * 1024;

// What decides about the connection, the framing of the body or the identity of the caller is
// never for the other side to set.
const REFUSED_HEADERS = new Set([
  'host',
  'authorization',
  'proxy-authorization',
  'cookie',
  'transfer-encoding',
  'expect',
  'connection',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'te',
  'trailer',
]);

export interface Target {
  origin: string;
  /** With the query: secret. */
  path: string;
  /** Exactly the given headers, and Content-Length. */
  headers: Record<string, string>;
}

/**
 * Checks a presigned segment for a body of `sizeBytes`; throws UnsafeTargetError, whose message
 * names the rule and no address.
 */
export function toTarget(
  segment: PresignedSegment,
  sizeBytes: number,
  options: { allowInsecureLoopback: boolean },
): Target {
  const url = parseUrl(segment.url);
  const isLoopback = isLoopbackHost(url.hostname);
  if (isLoopback) {
    if (!options.allowInsecureLoopback) throw unsafe('a storage address leads back to this machine');
    if (url.protocol !== 'https:' && url.protocol !== 'http:') throw unsafe('a storage address is not https');
  } else {
    if (url.protocol !== 'https:') throw unsafe('a storage address is not https');
    if (isIP(bareHost(url.hostname)) !== 0) throw unsafe('a storage address has no host name but a number');
  }
  if (url.username !== '' || url.password !== '') throw unsafe('a storage address holds a user name');
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    headers: checkHeaders(segment.headers, sizeBytes),
  };
}

/**
 * Origin and a short hash of the path: enough to tell two addresses apart in a log, not enough to use one.
 */
export function describeTarget(target: Target): string {
  const path = target.path.split('?', 1)[0] ?? '';
  return `${target.origin} #${hash('sha256', path).slice(0, 8)}`;
}

export interface AddressRules {
  readonly allowInsecureLoopback: boolean;
  /** For a storage in a network of one's own; link-local addresses stay refused even then. */
  readonly allowPrivate?: boolean;
}

/**
 * A `lookup` for sockets that refuses names which resolve to this machine or to addresses that
 * are not public, unless that is allowed: who writes storage addresses could otherwise make us
 * send files to machines beside us.
 */
export function guardedLookup(options: AddressRules): LookupFunction {
  return (hostname, lookupOptions, callback) => {
    lookup(hostname, { ...lookupOptions, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '', 0);
      const fault = judgeAddresses(hostname, addresses, options);
      if (fault !== undefined) return callback(unsafe(fault), '', 0);
      const [first] = addresses;
      if (lookupOptions.all === true) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    });
  };
}

/** Every address counts, for any of them may be taken. Returns the rule that one of them breaks. */
export function judgeAddresses(
  hostname: string,
  addresses: readonly LookupAddress[],
  options: AddressRules,
): string | undefined {
  const isAmong = (list: BlockList): boolean =>
    addresses.some(({ address, family }) => list.check(address, family === 6 ? 'ipv6' : 'ipv4'));
  if (options.allowInsecureLoopback && isLoopbackHost(hostname)) return undefined;
  if (isAmong(LOCAL_ADDRESSES)) return 'the name of a storage host leads to a local address';
  if (options.allowPrivate !== true && isAmong(PRIVATE_ADDRESSES)) {
    return 'the name of a storage host leads into a private network; if it is meant, set service.allowPrivateStorage';
  }
  return undefined;
}

function parseUrl(text: string): URL {
  if (text.length > MAX_URL_CHARS) throw unsafe('a storage address is too long');
  // URL() would drop them without a word.
  if (/[\r\n\t\0]/.test(text)) throw unsafe('a storage address holds control characters');
  try {
    return new URL(text);
  } catch {
    throw unsafe('a storage address cannot be read');
  }
}

function checkHeaders(headers: Readonly<Record<string, string>>, sizeBytes: number): Record<string, string> {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) throw unsafe(`more than ${MAX_HEADERS} headers for the storage`);
  const checked: Record<string, string> = {};
  let bytes = 0;
  for (const [name, value] of entries) {
    const lowerCase = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/.test(name))
      throw unsafe('a header for the storage has an odd name');
    if (REFUSED_HEADERS.has(lowerCase)) throw unsafe(`the header ${lowerCase} is not for the storage`);
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw unsafe(`the header ${lowerCase} for the storage has an odd value`);
    }
    bytes += name.length + value.length + 4;
    if (lowerCase !== 'content-length') checked[name] = value;
    else if (value.trim() !== String(sizeBytes)) throw unsafe('the storage expects another number of bytes');
  }
  if (bytes > MAX_HEADER_BYTES)
    throw unsafe(`more than ${MAX_HEADER_BYTES} bytes of headers for the storage`);
  checked['content-length'] = String(sizeBytes);
  return checked;
}

function isLoopbackHost(hostname: string): boolean {
  const host = bareHost(hostname);
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  );
}

function bareHost(hostname: string): string {
  return hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}

/**
 * Also as a gateway makes them of an IPv6 address: NAT64 has the IPv4 address in its last four bytes, 6to4
 * behind its first two. Public ones are let be: where hosts have IPv6 alone, a storage has such an address.
 */
function addIPv4(list: BlockList, network: string, prefix: number): void {
  list.addSubnet(network, prefix, 'ipv4');
  const [first = 0, second = 0, third = 0, fourth = 0] = network.split('.').map(Number);
  const [high, low] = [first * 256 + second, third * 256 + fourth].map(word => word.toString(16));
  list.addSubnet(`64:ff9b::${high}:${low}`, 96 + prefix, 'ipv6');
  list.addSubnet(`2002:${high}:${low}::`, 16 + prefix, 'ipv6');
}

const LOCAL_ADDRESSES = new BlockList();
addIPv4(LOCAL_ADDRESSES, '127.0.0.0', 8);
addIPv4(LOCAL_ADDRESSES, '169.254.0.0', 16);
addIPv4(LOCAL_ADDRESSES, '0.0.0.0', 8);
LOCAL_ADDRESSES.addAddress('::1', 'ipv6');
LOCAL_ADDRESSES.addAddress('::', 'ipv6');
LOCAL_ADDRESSES.addSubnet('fe80::', 10, 'ipv6');
// Multicast and reserved: nothing that is a storage.
addIPv4(LOCAL_ADDRESSES, '224.0.0.0', 3);
LOCAL_ADDRESSES.addSubnet('ff00::', 8, 'ipv6');

// The lists know an IPv4 address in IPv6 notation (`::ffff:10.0.0.1`) as well.
const PRIVATE_ADDRESSES = new BlockList();
addIPv4(PRIVATE_ADDRESSES, '10.0.0.0', 8);
addIPv4(PRIVATE_ADDRESSES, '172.16.0.0', 12);
addIPv4(PRIVATE_ADDRESSES, '192.168.0.0', 16);
// Behind a provider's own translation; protocol assignments; measurements.
addIPv4(PRIVATE_ADDRESSES, '100.64.0.0', 10);
addIPv4(PRIVATE_ADDRESSES, '192.0.0.0', 24);
addIPv4(PRIVATE_ADDRESSES, '198.18.0.0', 15);
PRIVATE_ADDRESSES.addSubnet('fc00::', 7, 'ipv6');
PRIVATE_ADDRESSES.addSubnet('fec0::', 10, 'ipv6');
// The translation of a network's own: where the IPv4 address stands in it is that network's business.
PRIVATE_ADDRESSES.addSubnet('64:ff9b:1::', 48, 'ipv6');

function unsafe(detail: string): UnsafeTargetError {
  return new UnsafeTargetError(detail);
}
