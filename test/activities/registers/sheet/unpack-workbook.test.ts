import { SHEET_LIMITS } from '../../../../activities/registers/sheet/sheet-limits';
import { unpackWorkbook } from '../../../../activities/registers/sheet/unpack-workbook';
import { partsOf, workbookOf, zipOf } from '../workbook-of-parts';

const OTHERS = {
  'docProps/app.xml': 'x',
  'xl/vbaProject.bin': 'x',
  'xl/externalLinks/externalLink1.xml': 'x',
  'xl/drawings/drawing1.xml': 'x',
  'xl/worksheets/_rels/sheet1.xml.rels': 'x',
  'xl/comments1.xml': 'x',
};

test('the parts that cells depend on are unpacked, or all of them', async () => {
  const bytes = workbookOf({ parts: OTHERS });
  expect([...(await unpackWorkbook(bytes, SHEET_LIMITS)).keys()].sort()).toEqual(
    Object.keys(partsOf({})).sort(),
  );
  const all = await unpackWorkbook(bytes, SHEET_LIMITS, 'all');
  expect(Buffer.from(all.get('xl/vbaProject.bin') ?? []).toString()).toBe('x');
});

/** The place of a field in the directory's entry for a part. */
function changed(bytes: Buffer, name: string, offset: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt16LE(value, copy.lastIndexOf(name) - 46 + offset);
  return copy;
}

test('an entry with a password is told as one', async () => {
  await expect(
    unpackWorkbook(changed(workbookOf({}), 'xl/styles.xml', 8, 1), SHEET_LIMITS),
  ).rejects.toMatchObject({ code: 'encrypted' });
});

test.each([
  ['a wrong checksum', 16],
  ['an unknown compression', 10],
  ['a wrong packed size', 20],
  ['a wrong size', 24],
])('%s means a damaged workbook', async (_, offset) => {
  await expect(
    unpackWorkbook(changed(workbookOf({}), 'xl/styles.xml', offset, 999), SHEET_LIMITS),
  ).rejects.toMatchObject({ code: 'torn' });
});

test('a part that is there twice, or has a name that leads elsewhere, means a damaged workbook', async () => {
  const twice = workbookOf({ parts: { 'xl/stylez.xml': 'x' } })
    .toString('latin1')
    .replaceAll('stylez', 'styles');
  await expect(unpackWorkbook(Buffer.from(twice, 'latin1'), SHEET_LIMITS)).rejects.toMatchObject({
    code: 'torn',
  });
  const outside = zipOf({ ...partsOf({}), '../x.xml': 'x' });
  await expect(unpackWorkbook(outside, SHEET_LIMITS)).rejects.toMatchObject({ code: 'torn' });
});

test('what is not unpacked does not count against the limit', async () => {
  const bytes = workbookOf({ parts: { 'xl/media/photo.png': 'x'.repeat(50_000) } });
  const limits = { ...SHEET_LIMITS, unpackedBytes: 20_000 };
  expect((await unpackWorkbook(bytes, limits)).size).toBe(7);
  await expect(unpackWorkbook(bytes, limits, 'all')).rejects.toMatchObject({ code: 'too-large' });
});
