import { createHash } from 'node:crypto';
import { packProof, unpackProof } from '../../../client/proof/proof-archive';

const files = new Map(['b.txt', 'a/ü.txt', 'c'].map(name => [name, Buffer.from(`content of ${name}`)]));

test('the bytes of an archive are these for ever: proofs of years ago are compared with them', () => {
  const bytes = packProof(files);
  expect(packProof(new Map([...files].reverse())).equals(bytes)).toBe(true);
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(
    '52bd351d02a204e9e3abafb8f0f0ec71c8da14c676a41ab0abfa4c08bbc356dc',
  );
});

test('what was packed comes out again; anything else is told', () => {
  expect(unpackProof(packProof(files))).toEqual({ files: expect.any(Map), fault: undefined });
  expect(unpackProof(Buffer.from('no archive')).fault).toContain('damaged');
});
