import { unzipSync } from 'fflate';
import { readXlsx } from 'hucre/xlsx';
import { USUAL_FIELDS } from '../../../../activities/registers/column-words';
import { findRegister } from '../../../../activities/registers/find-register';
import { readSheet } from '../../../../activities/registers/sheet/read-sheet';
import type { TemplateField, TemplateValue } from '../../../../activities/registers/template/template-fields';
import {
  hashTemplate,
  type TemplateInput,
  writeTemplate,
} from '../../../../activities/registers/template/template-workbook';

const value = (label: string, code = '', active = true): TemplateValue => ({ label, code, active });

const field = (name: string, overrides: Partial<TemplateField> = {}): TemplateField => ({
  name,
  label: name.charAt(0).toUpperCase() + name.slice(1),
  type: 'string',
  isPeople: false,
  required: false,
  requiredByType: [],
  requiredByFields: [],
  values: [],
  ...overrides,
});

const TYPES = [value('Drawing', 'DR'), value('Model'), value('Old', 'OL', false)];

const input = (overrides: Partial<TemplateInput> = {}): TemplateInput => ({
  share: 'tender',
  project: '7001',
  fields: [
    field('description'),
    field('number', { required: true }),
    field('type', { type: 'lov_entry', required: true, values: TYPES }),
    field('status', {
      type: 'lov_entry',
      requiredByType: ['Drawing', 'Model'],
      values: [value('A4'), value('A5')],
    }),
  ],
  files: [],
  emptyWord: '-',
  madeAt: new Date('2026-04-03T14:20:00Z'),
  ...overrides,
});

async function read(overrides: Partial<TemplateInput> = {}) {
  const bytes = await writeTemplate(input(overrides));
  const { sheets, namedRanges } = await readXlsx(bytes, { readStyles: true });
  const [data, reference, instructions] = sheets;
  if (!data || !reference || !instructions) throw new Error('a sheet is missing');
  return { bytes, sheets, data, reference, instructions, namedRanges };
}

describe('the template', () => {
  test('has the sheets Data, Reference and Instructions', async () => {
    expect((await read()).sheets.map(({ name }) => name)).toEqual(['Data', 'Reference', 'Instructions']);
  });

  test('marks what is required, also what only some types require, and puts it first', async () => {
    const { data } = await read();
    expect(data.rows[0]).toEqual([
      'required',
      'required',
      'required',
      'required for Drawing, Model',
      'optional',
    ]);
    expect(data.rows[1]).toEqual(['File', 'Type', 'Number', 'Status', 'Description']);
    const ground = (key: string) => JSON.stringify(data.cells?.get(key)?.style?.fill);
    expect(new Set(['1,2', '1,3', '1,4'].map(ground)).size).toBe(3);
  });

  test('for one type its requirements are plain ones, and the type stands in each row', async () => {
    const { data } = await read({ type: 'Drawing', files: [{ path: 'a.pdf', values: {} }] });
    expect(data.rows[0]?.[3]).toBe('required');
    expect(data.rows[2]?.slice(0, 2)).toEqual(['a.pdf', 'Drawing']);
  });

  test('has one row a file with what its name gives; every cell is text', async () => {
    const files = [
      { path: 'A/=odd.pdf', values: { number: '0042', type: 'Model' } },
      { path: 'b.pdf', values: {} },
    ];
    const { data, bytes } = await read({ files });
    expect(data.rows[2]?.slice(0, 3)).toEqual(['A/=odd.pdf', 'Model', '0042']);
    expect(data.rows[3]?.[0]).toBe('b.pdf');
    for (const key of ['2,2', '3,2', '200,4']) expect(data.cells?.get(key)?.style?.numFmt).toBe('@');
    expect(Buffer.from(unzipSync(bytes)['xl/worksheets/sheet1.xml'] ?? []).toString()).not.toContain('<f>');
  });

  test('offers active values, and holds nobody up who gives a code', async () => {
    const { data } = await read();
    expect(data.dataValidations).toMatchObject([
      { range: 'B3:B502', values: ['Drawing', 'Model'], errorStyle: 'warning', showErrorMessage: true },
      { range: 'D3:D502', values: ['A4', 'A5'] },
    ]);
  });

  test.each([
    [
      'is longer than 255 characters',
      Array.from({ length: 40 }, (_, index) => value(`Value number ${index}`)),
    ],
    ['has a value with a comma', [value('For use, and more')]],
  ])('a list that %s points at the sheet Reference', async (_, values) => {
    const { data, namedRanges } = await read({ fields: [field('status', { type: 'lov_entry', values })] });
    expect(data.dataValidations).toMatchObject([{ range: 'B3:B502', formula1: 'List_1_Status' }]);
    expect(namedRanges).toContainEqual({
      name: 'List_1_Status',
      range: `'Reference'!$B$2:$B$${values.length + 1}`,
    });
  });

  test('a list of several values offers and does not ask', async () => {
    const several = field('trades', { type: 'lov_entries', values: [value('A'), value('B')] });
    const { data } = await read({ fields: [several] });
    expect(data.dataValidations?.[0]?.showErrorMessage ?? false).toBe(false);
  });

  test('the sheet Reference has active values with their codes', async () => {
    const { reference } = await read();
    expect(reference.rows).toEqual([
      ['Field', 'Value', 'Code'],
      ['Type', 'Drawing', 'DR'],
      ['Type', 'Model', null],
      ['Status', 'A4', null],
      ['Status', 'A5', null],
    ]);
  });

  test('a required cell that is empty shows, by type where the type decides', async () => {
    const { data } = await read();
    expect(data.conditionalRules?.map(({ range, formula }) => [range, formula])).toEqual([
      ['B3:B502', 'AND($A3<>"",TRIM($B3)="")'],
      ['C3:C502', 'AND($A3<>"",TRIM($C3)="")'],
      ['D3:D502', 'AND($A3<>"",TRIM($D3)="",OR($B3="Drawing",$B3="DR",$B3="Model"))'],
    ]);
  });

  test('keeps the header in sight, and filters', async () => {
    const { data } = await read();
    expect(data.freezePane).toEqual({ rows: 2, columns: 1 });
    expect(data.autoFilter?.range).toBe('A2:E502');
  });

  test('says in plain words how it is filled and what comes back', async () => {
    const { instructions } = await read();
    const text = instructions.rows.map(row => row.join(' | ')).join('\n');
    expect(text).toContain('Status | Required for Drawing, Model. Pick from the list');
    expect(text).toContain('- | The value is to stay empty');
    expect(text).toContain(
      'Already there | This very file was sent before, and nothing newer of its document.',
    );
  });

  test('is read as a register, row for row', async () => {
    const files = [{ path: 'a.pdf', values: { number: '0042' } }];
    const { bytes } = await read({ files });
    const words = { fields: USUAL_FIELDS, isComplete: false, synonyms: {} };
    const found = findRegister(await readSheet(bytes, 'register.xlsx'), true, words);
    expect(found).toMatchObject({ kind: 'register', register: { sheet: 'Data', headerRow: 2, faults: [] } });
    const rows = found.kind === 'register' ? found.register.rows : [];
    expect(rows.map(({ number, cells }) => [number, cells[0]?.text, cells[2]?.text])).toEqual([
      [3, 'a.pdf', '0042'],
    ]);
  });
});

test('two templates that say the same have one hash, whenever they were made; what is offered changes it', () => {
  const hash = hashTemplate(input());
  expect(hashTemplate({ ...input(), madeAt: new Date(0) } as TemplateInput)).toBe(hash);
  const offered = [...TYPES, value('Sketch')];
  const fields = input().fields.map(each => (each.name === 'type' ? { ...each, values: offered } : each));
  const others = [{ fields }, { emptyWord: 'n/a' }, { share: 'other' }, { project: '7002' }];
  const hashes = others.map(other => hashTemplate(input(other)));
  expect(new Set([hash, ...hashes]).size).toBe(5);
});
