import { hasAllListed } from '../../../../activities/registers/sheet/listed-sheets';
import { startCpuTimer } from '../../../setup/cpu-time';

const SHEET = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet';
const partsOf = (relation: string, ...names: string[]) =>
  new Map([
    [
      'xl/workbook.xml',
      Buffer.from('<workbook><sheets><sheet name="a > b" r:id=\'1\'/></sheets></workbook>'),
    ],
    ['xl/_rels/workbook.xml.rels', Buffer.from(`<Relationships>${relation}</Relationships>`)],
    ...names.map(name => [name, Buffer.from('<worksheet/>')] as const),
  ]);

test.each([
  ['as most programs write it', `<Relationship Id="1" Type="${SHEET}" Target="worksheets/a.xml"/>`],
  ['from the root', `<p:Relationship Target='/xl/worksheets/a.xml' Type='${SHEET}' Id='1'></p:Relationship>`],
  ['by a detour', `<Relationship Id="1" Type="${SHEET}" Target="../xl/./worksheets/a.xml"/>`],
])('a sheet that is addressed %s is found', (_, relation) => {
  expect(hasAllListed(partsOf(relation, 'xl/worksheets/a.xml'))).toBe(true);
  expect(hasAllListed(partsOf(relation, 'xl/worksheets/b.xml'))).toBe(false);
});

test('a chart need not be there', () => {
  const chart = `<Relationship Id="1" Type="${SHEET.replace('work', 'chart')}" Target="chartsheets/a.xml"/>`;
  expect(hasAllListed(partsOf(chart))).toBe(true);
});

test('a sheet of a kind that nobody knows is missed', () => {
  const odd = `<Relationship Id="1" Type="${SHEET.slice(0, -9)}" Target="a.xml"/>`;
  expect(hasAllListed(partsOf(odd, 'xl/a.xml'))).toBe(false);
});

test('a sheet that points at nothing is missed', () => {
  expect(hasAllListed(partsOf(`<Relationship Id="2" Type="${SHEET}" Target="a.xml"/>`, 'xl/a.xml'))).toBe(
    false,
  );
});

const TEXTS = `<Relationship Id="2" Type="${SHEET.replace('worksheet', 'sharedStrings')}" Target="/xl/t.xml"/>`;
const withCells = (cells: string, texts = TEXTS) =>
  new Map([
    ...partsOf(`<Relationship Id="1" Type="${SHEET}" Target="worksheets/a.xml"/>${texts}`),
    ['xl/worksheets/a.xml', Buffer.from(cells)] as const,
    ['xl/t.xml', Buffer.from('<x:sst><x:si><x:t>a</x:t></x:si><x:si/></x:sst>')] as const,
  ]);

test('each cell with a shared text needs one, by what points at the texts', () => {
  const cell = (index: number) => `<x:c r="A1" t='s'><x:v>${index}</x:v></x:c><c t="str"><v>9</v></c>`;
  expect(hasAllListed(withCells(cell(1)))).toBe(true);
  expect(hasAllListed(withCells(cell(2)))).toBe(false);
  expect(hasAllListed(withCells(cell(0), ''))).toBe(false);
});

test('a cell has one value at most', () => {
  expect(hasAllListed(withCells('<c><v>1</v></c><c><v>2</v></c>'))).toBe(true);
  expect(hasAllListed(withCells('<c><v>1</v> <v>2</v></c>'))).toBe(false);
});

test('100,000 tags that never end are passed over in a moment', () => {
  const parts = new Map(partsOf(`<!-- ${'<Relationship '.repeat(100_000)} -->`));
  const cpuMs = startCpuTimer();
  expect(hasAllListed(parts)).toBe(false);
  expect(cpuMs()).toBeLessThan(2_000);
});
