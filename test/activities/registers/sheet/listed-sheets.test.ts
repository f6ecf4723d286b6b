import {
  findSharedTexts,
  hasAllSheets,
  hasWholeCells,
} from '../../../../activities/registers/sheet/listed-sheets';

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
  expect(hasAllSheets(partsOf(relation, 'xl/worksheets/a.xml'))).toBe(true);
  expect(hasAllSheets(partsOf(relation, 'xl/worksheets/b.xml'))).toBe(false);
});

test('a chart need not be there', () => {
  const chart = `<Relationship Id="1" Type="${SHEET.replace('work', 'chart')}" Target="chartsheets/a.xml"/>`;
  expect(hasAllSheets(partsOf(chart))).toBe(true);
});

test('a sheet of a kind that nobody knows is missed', () => {
  const odd = `<Relationship Id="1" Type="${SHEET.slice(0, -9)}" Target="a.xml"/>`;
  expect(hasAllSheets(partsOf(odd, 'xl/a.xml'))).toBe(false);
});

test('a sheet that points at nothing is missed', () => {
  expect(hasAllSheets(partsOf(`<Relationship Id="2" Type="${SHEET}" Target="a.xml"/>`, 'xl/a.xml'))).toBe(
    false,
  );
});

test('shared texts are found by what points at them', () => {
  const texts = `<Relationship Id="1" Type="${SHEET.replace('worksheet', 'sharedStrings')}" Target="/xl/t.xml"/>`;
  expect(findSharedTexts(partsOf(texts, 'xl/t.xml'))).toBeDefined();
  expect(findSharedTexts(partsOf('', 'xl/sharedStrings.xml'))).toBeUndefined();
});

test('each cell with a shared text needs one', () => {
  const texts = Buffer.from('<x:sst><x:si><x:t>a</x:t></x:si><x:si/></x:sst>');
  const cell = (index: number) => [
    Buffer.from(`<x:c r="A1" t='s'><x:v>${index}</x:v></x:c><c t="str"><v>9</v></c>`),
  ];
  expect(hasWholeCells(cell(1), texts)).toBe(true);
  expect(hasWholeCells(cell(2), texts)).toBe(false);
  expect(hasWholeCells([Buffer.from('<c><v>1</v> <v>2</v></c>')], texts)).toBe(false);
  expect(hasWholeCells(cell(0), undefined)).toBe(false);
});
