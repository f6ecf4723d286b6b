// A certificate for 127.0.0.1 that nobody trusts, made on the spot: Node reads
// certificates but does not write them.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

/** X.509 version 3 with ECDSA P-256, its own authority, valid from yesterday till tomorrow. */
export function createSelfSigned(): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(0x30, oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));
  const name = der(
    0x30,
    der(0x31, der(0x30, oid([0x55, 0x04, 0x03]), der(0x0c, Buffer.from('drawbridge test')))),
  );
  const day = 86_400_000;
  const unsigned = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    der(0x30, time(Date.now() - day), time(Date.now() + day)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, isAuthority(), subjectAddress())),
  );
  const signature = sign('sha256', unsigned, privateKey);
  const cert = der(0x30, unsigned, algorithm, der(0x03, Buffer.from([0]), signature));
  return {
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    // Without an empty line, wherever the last full one ends.
    cert: `-----BEGIN CERTIFICATE-----\n${cert.toString('base64').replace(/(.{64})(?=.)/g, '$1\n')}\n-----END CERTIFICATE-----\n`,
  };
}

function isAuthority(): Buffer {
  const value = der(0x30, der(0x01, Buffer.from([0xff])));
  return der(0x30, oid([0x55, 0x1d, 0x13]), der(0x01, Buffer.from([0xff])), der(0x04, value));
}

function subjectAddress(): Buffer {
  const value = der(0x30, der(0x87, Buffer.from([127, 0, 0, 1])));
  return der(0x30, oid([0x55, 0x1d, 0x11]), der(0x04, value));
}

function oid(bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

function time(atMs: number): Buffer {
  const text = new Date(atMs).toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${text}Z`));
}

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  if (content.length < 128) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const length = Buffer.from(content.length.toString(16).padStart(content.length < 256 ? 2 : 4, '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 + length.length]), length, content]);
}
