// The grid of values: its columns, groups, states, and what is sent.
import type { HeldRow } from '../../../../../../../client/console/contract/waiting';
import { checkedFields } from '../../../../../../../client/console/page/parts/values/check-cell';
import {
  countLabels,
  listOptions,
  listReadings,
  markTyped,
  withOption,
} from '../../../../../../../client/console/page/parts/values/options';
import {
  decideOn,
  groupRows,
  inParts,
  listColumns,
  stateOf,
  tallyRows,
  toAnswers,
  toGridRow,
} from '../../../../../../../client/console/page/views/waiting/model/grid';

const list = (name: string, label: string, values: [string, string][], rest: object = {}) => ({
  name,
  label,
  takes: 'one-of' as const,
  isPeople: false,
  required: false,
  requiredByType: [],
  requiredByFields: [],
  isForced: false,
  values: values.map(([code, text]) => ({ label: text, code })),
  ...rest,
});
const FIELDS = checkedFields({
  dates: null,
  emptyWord: '-',
  fields: [
    list('type', 'Type', [['D', 'Drawing']]),
    list(
      'status',
      'Status',
      [
        ['A4', 'For construction'],
        ['AB', 'As constructed'],
        ['S1', 'For coordination'],
        ['S3', 'For review and comment'],
      ],
      { requiredByType: ['Drawing'] },
    ),
    list('checked_by', 'Checked by', [['p.raman@x.example', 'Priya Raman']], {
      takes: 'many-of',
      isPeople: true,
    }),
    list('date', 'Revision date', [], { takes: 'date' }),
    list('sheets', 'Sheets', [], { takes: 'number' }),
  ],
});
const fieldsOf = () => FIELDS;
const [ZONE] = checkedFields({
  dates: null,
  emptyWord: '-',
  fields: [list('zone', 'Zone', [['N', 'North']], { required: true })],
});
const field = (name: string) => FIELDS.find(each => each.name === name)!;

function row(index: number, rest: Partial<HeldRow> = {}) {
  const held = {
    share: 's',
    job: 'j',
    batchId: 'b',
    index,
    reason: 'The project requires "Status".',
    whatToDo: 'Give it.',
    missing: ['Status'],
    values: [{ field: 'type', text: 'd', from: 'file name' }],
    question: 'missing-values',
    ...rest,
  } as HeldRow;
  return toGridRow(held, FIELDS);
}
const WRONG = {
  missing: [],
  reason: 'In "register.xlsx": "IFC" for "Status" is not a value of this project. Nearest: For construction.',
};

test.each([
  ['status', 'a4', 'value', ['For construction']],
  ['status', 'For  Construction', 'value', ['For construction']],
  ['status', 'IFC', 'fault', undefined],
  ['checked_by', 'p.raman@x.example', 'value', ['Priya Raman']],
  ['checked_by', 'Nobody', 'fault', undefined],
  ['date', '3 Apr 2026', 'value', ['2026-04-03']],
  ['date', '2026-04-03', 'value', ['2026-04-03']],
  ['date', '31 April 2026', 'fault', undefined],
  ['sheets', '12,5', 'value', ['12.5']],
  ['sheets', '1,234', 'fault', undefined],
  ['sheets', '-', 'value', []],
  ['checked_by', ' - ', 'value', []],
])('%s %j is a %s', (name, text, kind, texts) => {
  expect(field(name).check(text)).toMatchObject({ kind, ...(texts === undefined ? {} : { texts }) });
});

test('a fault names what would be a value', () => {
  expect(field('status').check('For constuction')).toMatchObject({
    nearest: ['For construction (A4)', expect.anything(), expect.anything()],
  });
  expect(field('date').check('3/4/2026')).toMatchObject({ nearest: ['2026-04-03', '2026-03-04'] });
  expect(field('status').check('For construction (A4)')).toMatchObject({ kind: 'value' });
});

test('rows are grouped by what is asked, with why', () => {
  const groups = groupRows([row(0, WRONG), row(1), row(2)], fieldsOf);
  expect(groups.map(({ title, why, rows }) => [title, why, rows.length])).toEqual([
    ['Status is missing', 'Needed because Type is Drawing', 2],
    ['Status “IFC” is not a value of this project', '', 1],
  ]);
});

test('columns are what rows need, then what is known of them', () => {
  const rows = [row(0, WRONG), row(1, { missing: ['Checked by'] })];
  expect(listColumns(rows, FIELDS)).toEqual([
    { name: 'status', label: 'Status', isOpen: true },
    { name: 'checked_by', label: 'Checked by', isOpen: true },
    { name: 'type', label: 'Type', isOpen: false },
  ]);
});

test('what is asked has a column at once, and is written in once it is known what may stand there', () => {
  const held = [row(0, WRONG), row(1, { missing: ['Checked by', 'Status'] })].map(each => each.held);
  const early = held.map(each => toGridRow(each, []));
  expect(listColumns(early, [])).toEqual([
    { name: 'Status', label: 'Status', isOpen: false },
    { name: 'Checked by', label: 'Checked by', isOpen: false },
  ]);
  // Of one share they are there, of another one not yet.
  expect(listColumns([row(2), ...early], FIELDS).map(({ name, isOpen }) => [name, isOpen])).toEqual([
    ['status', true],
    ['Checked by', false],
    ['type', false],
  ]);
});

test('a row is ready when all that it needs is there and right', () => {
  const one = row(0, { missing: ['Status', 'Checked by'] });
  const state = (entries: [string, string][]) => stateOf(one, new Map(entries), FIELDS).kind;
  expect(state([])).toBe('lacks');
  expect(state([['status', 'A4']])).toBe('lacks');
  expect(state([['status', 'IFC']])).toBe('fault');
  const wrong = row(1, { ...WRONG, values: [{ field: 'status', text: 'For constuction', from: '' }] });
  expect(stateOf(wrong, undefined, FIELDS)).toMatchObject({
    kind: 'fault',
    field: 'status',
    nearest: ['For construction (A4)', expect.anything(), expect.anything()],
  });
  expect(stateOf(wrong, new Map([['status', 'A4']]), FIELDS).kind).toBe('ready');
  expect(
    state([
      ['status', 'A4'],
      ['checked_by', 'Priya Raman'],
    ]),
  ).toBe('ready');
  const given = { share: 's', batchId: 'b', index: 0, by: 'J. Okafor', at: 'T', said: '', values: {} };
  expect(stateOf({ ...one, answered: given }, undefined, FIELDS)).toEqual({
    kind: 'locked',
    by: 'J. Okafor',
    at: 'T',
  });
});

test('what is alike goes out together, in the texts of the list; faults hold nothing back', () => {
  const rows = [row(0), row(1), row(2), row(3, { batchId: 'c' })];
  const edits = new Map(
    ['a4', 'For construction', 'IFC', 'A4'].map((text, at) => [rows[at]!.id, new Map([['status', text]])]),
  );
  const asked = { question: 'missing-values' };
  const { ready, lacking, faults } = tallyRows(rows, edits, fieldsOf);
  expect([ready.length, lacking, faults]).toEqual([3, 0, 1]);
  expect(toAnswers(ready, edits, fieldsOf)).toEqual([
    { share: 's', batchId: 'b', documents: [0, 1], values: { status: 'For construction' }, asked },
    { share: 's', batchId: 'c', documents: [3], values: { status: 'For construction' }, asked },
  ]);
});

test('a decision goes out with the question that was shown, each question by itself', () => {
  const review = (index: number, reason: string) =>
    row(index, { question: 'workflow-conflict', reason }).held;
  const rows = [review(0, 'X stands against it.'), review(1, 'Y does.'), review(2, 'X stands against it.')];
  const question = 'workflow-conflict';
  expect(decideOn(rows, { decision: 'retry' })).toEqual([
    {
      share: 's',
      batchId: 'b',
      documents: [0, 2],
      decision: 'retry',
      asked: { question, reason: 'X stands against it.' },
    },
    { share: 's', batchId: 'b', documents: [1], decision: 'retry', asked: { question, reason: 'Y does.' } },
  ]);
});

test('what is too much for one request goes in several, each of whole batches', () => {
  const answers = Array.from({ length: 60 }, (_, batch) =>
    Array.from({ length: 100 }, (_each, index) => ({
      share: 's',
      batchId: `b${batch}`,
      documents: [index],
      values: { status: `A${index}` },
    })),
  ).flat();
  const parts = inParts(answers);
  expect(parts.flat()).toEqual(answers);
  for (const part of parts) {
    expect(part.length).toBeLessThanOrEqual(1_000);
    expect(part.length % 100).toBe(0);
  }
  expect(inParts(answers.slice(0, 3))).toEqual([answers.slice(0, 3)]);
  const large = answers.slice(0, 300).map(one => ({ ...one, values: { title: 'x'.repeat(9_000) } }));
  expect(inParts(large).map(part => part.length)).toEqual([100, 100, 100]);
});

test('a value for a field that is not known here is not ready: it would be dropped without a word', () => {
  const edits = new Map([
    ['status', 'A4'],
    ['zone', 'North'],
  ]);
  expect(stateOf(row(0), edits, FIELDS)).toEqual({ kind: 'lacks', begun: true });
  expect(stateOf(row(1, WRONG), new Map([['zone', 'North']]), FIELDS).kind).toBe('lacks');
});

test('a value may be taken out of a row again, but not where one is missing', () => {
  const wrong = row(0, { ...WRONG, values: [{ field: 'status', text: 'IFC', from: 'register' }] });
  const people = row(1, { missing: [], reason: '"Nobody" for "Checked by" is not a person.' });
  const missing = row(2);
  const ofDrawing = row(3, { ...WRONG, values: [{ field: 'type', text: 'drawing', from: 'register' }] });
  const rows = [wrong, people, missing, ofDrawing];
  const edits = new Map(
    rows.map(one => [one.id, new Map([[one === people ? 'checked_by' : 'status', '-']])]),
  );
  const { ready, faults } = tallyRows(rows, edits, fieldsOf);
  expect(faults).toBe(2);
  expect(toAnswers(ready, edits, fieldsOf).map(({ documents, values }) => [documents, values])).toEqual([
    [[0], { status: [] }],
    [[1], { checked_by: [] }],
  ]);
  expect(stateOf(missing, edits.get(missing.id), FIELDS)).toMatchObject({ kind: 'fault', field: 'status' });
});

test('leaving it empty is offered behind the values, and not where one is required', () => {
  const offered = (name: string, typed: string) =>
    listOptions(field(name), typed, new Map()).options.filter(({ isEmpty }) => isEmpty);
  expect(offered('status', '')).toHaveLength(1);
  expect(offered('status', '-')).toHaveLength(1);
  expect(offered('status', 'co')).toEqual([]);
  expect(listOptions(ZONE!, '', new Map()).options.map(({ label }) => label)).toEqual(['North']);
  expect(ZONE!.check('-')).toMatchObject({ kind: 'fault' });
  const dashed = checkedFields({
    dates: null,
    emptyWord: '-',
    fields: [list('stage', 'Stage', [['P', 'Pre-construction']])],
  });
  // What Enter takes stands first.
  expect(listOptions(dashed[0]!, '-', new Map()).options.map(({ label }) => label)).toEqual([
    '-',
    'Pre-construction',
  ]);
  const [empty] = offered('checked_by', '');
  expect(withOption(field('checked_by'), 'Priya Raman; ', empty!)).toBe('-');
});

test('options: by code, by the beginning of any word, the most used first', () => {
  const used = [{ share: 's', job: 'j', field: 'status', text: 'A4', rows: 280 }];
  const counts = countLabels(field('status'), used, { share: 's', job: 'j' });
  const codes = (typed: string) =>
    listOptions(field('status'), typed, counts).options.map(({ code }) => code);
  expect(codes('co')).toEqual(['A4', 'AB', 'S1', 'S3']);
  expect(codes('a')).toEqual(['A4', 'AB', 'S3', 'S1']);
  expect(codes('s3')).toEqual(['S3']);
  expect(listOptions(field('status'), '', counts)).toMatchObject({
    fit: 4,
    options: [{ code: 'A4', rows: 280 }, {}, {}, {}, { isEmpty: true }],
  });
  expect(withOption(field('checked_by'), 'A. Novák; pri', { label: 'Priya Raman' })).toBe(
    'A. Novák; Priya Raman',
  );
  expect(markTyped('For construction', 'co')).toEqual([
    { text: 'For ', isTyped: false },
    { text: 'co', isTyped: true },
    { text: 'nstruction', isTyped: false },
  ]);
});

test('where no field is named, what the document has and what the project requires may be written', () => {
  const refused = row(0, { missing: [], reason: 'The service refused one of the values of this document.' });
  expect(listColumns([refused], FIELDS)).toMatchObject([{ name: 'type', isOpen: true }]);
  expect(listColumns([{ ...refused, isReadOnly: true }], FIELDS)).toMatchObject([{ isOpen: false }]);
  expect(stateOf(refused, new Map([['type', 'Drawing']]), FIELDS)).toEqual({ kind: 'ready' });
});

test('a date that can be read two ways offers both, in no order of ours', () => {
  expect(listReadings(field('date'), '3/4/2026')).toEqual(['2026-04-03', '2026-03-04']);
  expect(listOptions(field('date'), '3/4/2026', new Map()).options.map(({ label }) => label)).toEqual([
    '2026-04-03',
    '2026-03-04',
  ]);
  expect(listReadings(field('date'), '13/4/2026')).toEqual([]);
  expect(listReadings(field('status'), 'IFC')).toEqual([]);
});
