// A proxy before us signs people in, and says in a header who asks. Only its own addresses are believed.
import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { AccessSettings } from '../../../workers/config/config-console';
import { parsePeer } from '../../../workers/config/config-values';
import type { Access } from '../serve/access';
import { toPerson } from './grants';

type ProxySettings = NonNullable<AccessSettings['proxy']>;

export function createProxyAccess(settings: ProxySettings, grants: AccessSettings['grants']): Access {
  const peers = toPeers(settings.peers);
  return {
    signIn: 'proxy',
    visitorOf: request => {
      const name = isFrom(peers, request.socket.remoteAddress) && onlyOne(request, settings.nameHeader);
      if (name === false || name === undefined) return undefined;
      const groups =
        settings.groupsHeader === undefined ? undefined : onlyOne(request, settings.groupsHeader);
      const known = { id: name, name, groups: groups?.split(',').map(each => each.trim()) ?? [] };
      return { person: toPerson(known, grants), session: `proxy ${name}` };
    },
  };
}

/** The configuration was checked before. */
function toPeers(peers: readonly string[]): BlockList {
  const list = new BlockList();
  for (const peer of peers) {
    const parsed = parsePeer(peer);
    if (parsed === undefined) throw new Error(`"${peer}" is no address and no network`);
    list.addSubnet(parsed.address, parsed.bits, parsed.version);
  }
  return list;
}

function isFrom(peers: BlockList, address: string | undefined): boolean {
  // IPv4 that arrives at a socket of IPv6.
  const plain = address?.replace(/^::ffff:(?=\d+\.)/i, '') ?? '';
  const version = isIP(plain);
  return version !== 0 && peers.check(plain, version === 4 ? 'ipv4' : 'ipv6');
}

/**
 * The value of a header that stands there once: of two, one may be from whoever asks. Read as UTF-8, which
 * names are and headers by themselves are not.
 */
function onlyOne({ raw }: FastifyRequest, header: string): string | undefined {
  const values = raw.rawHeaders.filter(
    (_each, index) => index % 2 === 1 && raw.rawHeaders[index - 1]?.toLowerCase() === header.toLowerCase(),
  );
  const [value = ''] = values;
  const name = Buffer.from(value, 'latin1').toString('utf8').trim();
  return values.length === 1 && name !== '' && name.length <= 200 && !/\p{Cc}/u.test(name) ? name : undefined;
}
