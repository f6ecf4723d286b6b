import { decodeWindows1252 } from '../../../../activities/registers/sheet/windows-1252';

test('each byte is the letter that it stands for', () => {
  expect(decodeWindows1252(Buffer.from([0x80, 0x82, 0x8e, 0x91, 0x92, 0x96, 0x9c, 0x9e, 0x9f]))).toBe(
    '€‚Ž‘’–œžŸ',
  );
  expect(decodeWindows1252(Buffer.from([0x41, 0xa0, 0xe4, 0xff]))).toBe('A\u00a0äÿ');
});

test.each([0x81, 0x8d, 0x8f, 0x90, 0x9d])('the byte %i stands for nothing', byte => {
  expect(decodeWindows1252(Buffer.from([0x41, byte]))).toBeUndefined();
});
