import {
  describeTarget,
  guardedLookup,
  judgeAddresses,
  toTarget,
} from '../../../../activities/transfer/storage/presigned-target';

const HTTPS = 'https://bucket.storage.example/part/1?signature=canary';

function target(url: string, headers: Record<string, string> = {}, allowInsecureLoopback = false) {
  return toTarget({ url, headers }, 10, { allowInsecureLoopback });
}

describe('a presigned address', () => {
  test('is split without a change, and its headers are the given ones with the length', () => {
    expect(target(HTTPS, { 'x-amz-checksum-sha256': 'abc=', 'Content-Type': 'a/b' })).toEqual({
      origin: 'https://bucket.storage.example',
      path: '/part/1?signature=canary',
      headers: { 'x-amz-checksum-sha256': 'abc=', 'Content-Type': 'a/b', 'content-length': '10' },
    });
  });

  test.each([
    'http://bucket.storage.example/1',
    'ftp://bucket.storage.example/1',
    'file:///etc/passwd',
    'https://10.0.0.8/1',
    'https://0x7f000001/1',
    'https://2130706433/1',
    'https://[fe80::1]/1',
    'https://[::1]/1',
    'https://127.0.0.1/1',
    'https://localhost/1',
    'https://a.localhost./1',
    'https://user:word@bucket.storage.example/1',
    'https://bucket.storage.example/a\r\nb',
    'no address',
    `https://bucket.storage.example/${'a'.repeat(20_000)}`,
  ])('%j is not used', url => {
    expect(() => target(url)).toThrow(expect.objectContaining({ code: 'UNSAFE_TARGET' }));
  });

  test.each(['http://127.0.0.1:9/1', 'http://localhost/1', 'http://[::1]:9/1'])(
    '%s is used where loopback is allowed',
    url => {
      expect(target(url, {}, true).origin).toBe(new URL(url).origin);
    },
  );

  test('a plain address elsewhere is not used even then', () => {
    for (const url of ['http://bucket.storage.example/1', 'https://169.254.169.254/1']) {
      expect(() => target(url, {}, true)).toThrow(expect.objectContaining({ code: 'UNSAFE_TARGET' }));
    }
  });

  test('is spoken of without its path and query', () => {
    const text = describeTarget(target(HTTPS));
    expect(text).toMatch(/^https:\/\/bucket\.storage\.example #[0-9a-f]{8}$/);
    // Nor by a hash of them: an address that was renewed is the same place.
    expect(describeTarget(target(HTTPS.replace('canary', 'renewed')))).toBe(text);
  });
});

describe('the headers of an address', () => {
  test.each([
    [{ Host: 'a' }],
    [{ authorization: 'Bearer x' }],
    [{ 'Proxy-Authorization': 'x' }],
    [{ COOKIE: 'a=b' }],
    [{ 'Transfer-Encoding': 'chunked' }],
    [{ expect: '100-continue' }],
    [{ connection: 'close' }],
    [{ 'x-a': 'b\r\nhost: evil' }],
    [{ 'x-a': 'line\nfeed' }],
    [{ 'x-a': 'nul\0' }],
    [{ 'x-a': '漢' }],
    [{ 'x a': 'b' }],
    [{ '': 'b' }],
    [{ 'content-length': '11' }],
    [{ 'x-long': 'a'.repeat(8 * 1024) }],
    [Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`x-${index}`, 'a']))],
  ])('%j are not sent', headers => {
    expect(() => target(HTTPS, headers as Record<string, string>)).toThrow(
      expect.objectContaining({ code: 'UNSAFE_TARGET' }),
    );
  });

  test('a length that agrees is not sent twice', () => {
    expect(target(HTTPS, { 'Content-Length': '10' }).headers).toEqual({ 'content-length': '10' });
  });

  test('what is wrong with them is said without their values', () => {
    expect(() => target(HTTPS, { 'x-a': 'secret\n' })).toThrow(/^(?!.*secret)/);
  });
});

describe('a name that leads to this machine', () => {
  function lookup(allowInsecureLoopback: boolean): Promise<unknown> {
    return new Promise(resolve => {
      guardedLookup({ allowInsecureLoopback })('localhost', { all: true }, (error, addresses) =>
        resolve(error ?? addresses),
      );
    });
  }

  test('is not connected to', async () => {
    expect(await lookup(false)).toMatchObject({ code: 'UNSAFE_TARGET' });
  });

  test('is connected to where loopback is allowed', async () => {
    expect(await lookup(true)).toContainEqual(expect.objectContaining({ address: expect.any(String) }));
  });
});

describe('where the name of a storage leads', () => {
  const judge = (address: string, allowPrivate = false): string | undefined =>
    judgeAddresses('bucket.storage.example', [{ address, family: address.includes(':') ? 6 : 4 }], {
      allowInsecureLoopback: true,
      allowPrivate,
    });

  test.each([
    '93.184.216.34',
    '172.15.255.255',
    '172.32.0.0',
    '192.169.0.1',
    '100.128.0.1',
    '2606:2800:220:1::1',
    // As a gateway translates it where hosts have IPv6 alone.
    '64:ff9b::5db8:d822',
    '2002:5db8:d822::1',
  ])('public: %s', address => {
    expect(judge(address)).toBeUndefined();
  });

  test.each([
    '10.0.0.8',
    '10.255.255.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '192.168.255.254',
    '100.64.0.1',
    '100.127.255.254',
    '198.18.0.1',
    '198.19.255.254',
    '::ffff:10.0.0.8',
    '::ffff:c0a8:101',
    'fd00::1',
    'fec0::1',
    '64:ff9b::a00:5',
    '64:ff9b::192.168.1.1',
    '64:ff9b:1::1',
    '2002:a00:5::1',
    '2002:ac1f:ffff::1',
  ])('private: %s, and only with the operator’s word', address => {
    expect(judge(address)).toContain('service.allowPrivateStorage');
    expect(judge(address, true)).toBeUndefined();
  });

  test.each([
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '169.254.169.254',
    '224.0.0.1',
    '255.255.255.255',
    '64:ff9b::7f00:1',
    '64:ff9b::a9fe:a9fe',
    '2002:7f00:1::',
    '::1',
    '::',
    'fe80::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
  ])('never: %s', address => {
    expect(judge(address)).toContain('local address');
    expect(judge(address, true)).toContain('local address');
  });

  test('one address of several is enough to refuse the name', () => {
    const addresses = [
      { address: '93.184.216.34', family: 4 },
      { address: '10.0.0.8', family: 4 },
    ];
    expect(judgeAddresses('bucket.storage.example', addresses, { allowInsecureLoopback: false })).toContain(
      'private',
    );
  });
});
