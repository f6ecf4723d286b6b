import { decodeName, inFolder, isInnerPath, placeOf } from '../../../../activities/share/files/relative-path';

describe('decodeName', () => {
  test('gives the text of UTF-8 and nothing for other bytes', () => {
    expect(decodeName(Buffer.from('é.pdf'))).toBe('é.pdf');
    expect(decodeName(Buffer.from([0x61, 0xff, 0x62]))).toBeUndefined();
  });

  test('takes a name that really holds a replacement character', () => {
    expect(decodeName(Buffer.from('a\uFFFD'))).toBe('a\uFFFD');
  });
});

describe('isInnerPath', () => {
  test.each(['', '/etc/passwd', '../x', 'a/../b', 'a//b', './a', 'a/.', 'a\0b'])('refuses %j', path => {
    expect(isInnerPath(path)).toBe(false);
  });

  test.each(['a', 'a/b', '..a/b..', 'a b/&'])('takes %j', path => {
    expect(isInnerPath(path)).toBe(true);
  });
});

describe('inFolder', () => {
  test('keeps the bytes of a name that is not UTF-8, and of all that lies below it', () => {
    const folder = inFolder({ path: 'a' }, Buffer.from([0x62, 0xff]));
    const file = inFolder(folder, Buffer.from('c.pdf'));

    expect(inFolder({ path: '' }, Buffer.from('é.pdf'))).toEqual({ path: 'é.pdf' });
    expect(file).toEqual({
      path: 'a/b\uFFFD/c.pdf',
      bytes: Buffer.from([0x61, 0x2f, 0x62, 0xff, ...Buffer.from('/c.pdf')]),
    });
    expect(placeOf('/drop', file)).toEqual(Buffer.concat([Buffer.from('/drop/'), file.bytes ?? Buffer.of()]));
  });

  test('a folder itself is its own place', () => {
    expect(placeOf('/drop', { path: '' })).toBe('/drop');
  });
});
