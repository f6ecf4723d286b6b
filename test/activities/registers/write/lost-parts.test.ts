import { strToU8 } from 'fflate';
import { listLostParts, type Parts } from '../../../../activities/registers/write/lost-parts';

const sheet = (xml: string): Parts => ({ 'xl/worksheets/sheet1.xml': strToU8(xml) });

test.each<[string, string, readonly string[]]>([
  ['<dataValidation a="1"/>', '<dataValidation b="2"/>', []],
  ['<x14:dataValidation type="list"/>', '<dataValidation/>', []],
  [
    '<dataValidations count="2"><dataValidation /><dataValidation/>',
    '<dataValidation/>',
    ['1 of 2 drop-down lists'],
  ],
  ['<mergeCells><mergeCell ref="A1:B2"/></mergeCells>', '', ['merged cells']],
  [
    '<controls><control r:id="1"/></controls><protectedRange />',
    '',
    ['buttons and other controls', 'protected ranges'],
  ],
  ['', '<dataValidation/>', []],
])('of %s there is in %s', (before, after, expected) => {
  expect(listLostParts(sheet(before), sheet(after))).toEqual(expected);
});

test('a part of another sheet, or of another kind, is looked for where it belongs', () => {
  const before = {
    'xl/comments1.xml': strToU8('<comment ref="A1"></comment>'),
    'docProps/app.xml': strToU8('<cfRule '),
  };
  expect(listLostParts(before, {})).toEqual(['notes on cells']);
});
