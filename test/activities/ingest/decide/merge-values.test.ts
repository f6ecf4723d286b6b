import { mergeValues } from '../../../../activities/ingest/decide/merge-values';
import { type Resolver, resolveValues } from '../../../../activities/ingest/decide/plan-document';
import { NO_ROW, type RowWrites } from '../../../../activities/ingest/decide/read-entry';
import type { ValuesByField } from '../../../../workflows/contract';
import { addGiven, layOver } from '../../../../workflows/ingest/decide/add-given';
import { NUMBER, REVISION, requirement, rulesOf, STATUS } from './fixtures';

const RULES = rulesOf([requirement('usual')]);
const resolve: Resolver = (_, text) =>
  text === 'bad' ? { kind: 'unknown', nearest: [] } : { kind: 'resolved', value: text };

interface Said {
  readonly name?: ValuesByField;
  readonly folder?: ValuesByField;
  readonly row?: Partial<RowWrites>;
  readonly person?: ValuesByField;
  readonly share?: ValuesByField;
}

function merge({ name = {}, folder = {}, row = {}, person, share = {} }: Said) {
  const merged = mergeValues(
    RULES,
    {
      values: addGiven({ ...folder, ...name }, person ?? {}),
      fromFolder: Object.keys(folder),
      ...(person === undefined ? {} : { answers: person }),
    },
    { ...NO_ROW, ...row },
    resolveValues(RULES, share, resolve),
    resolve,
  );
  const values = Object.fromEntries(merged.writes.map(({ fieldId, values }) => [fieldId, values[0]]));
  return { ...merged, values, sources: Object.fromEntries(merged.sources) };
}

const cell = (value: string) => ({ fieldId: STATUS.id, column: 'F', values: [value] });
const fault = { row: 2, column: 'F', text: 'wrong', field: STATUS };

const LAYERS: readonly (readonly [string, Said])[] = [
  ['folder', { folder: { Status: 'of folder' } }],
  ['name', { name: { status: 'of name' } }],
  ['row F', { row: { writes: [cell('of row')] } }],
  ['person', { person: { Status: 'of person' } }],
  ['share', { share: { Status: 'of share' } }],
];

test.each(LAYERS.map(([source], at) => [source, at] as const))(
  'what %s says goes before all below it',
  (source, at) => {
    const said = Object.assign({}, ...LAYERS.slice(0, at + 1).map(([, each]) => each));
    const { values, sources, problems } = merge(said);
    expect(values).toEqual({ [STATUS.id]: `of ${source.replace(' F', '')}` });
    expect(sources).toEqual({ [STATUS.id]: source });
    expect(problems).toEqual([]);
  },
);

test('fields are merged one by one', () => {
  const row = { writes: [cell('Issued')] };
  const { values } = merge({ name: { number: 'N-1', status: 'x' }, row, person: { Revision: 'B' } });
  expect(values).toEqual({ [NUMBER.id]: 'N-1', [STATUS.id]: 'Issued', [REVISION.id]: 'B' });
});

test('a value that is overruled cannot be wrong, and a name of no field is told once', () => {
  expect(merge({ name: { status: 'bad' }, row: { writes: [cell('Issued')] } }).problems).toEqual([]);
  expect(merge({ name: { status: 'bad' } }).problems).toHaveLength(1);
  expect(merge({ person: { Colour: 'red' } }).problems).toMatchObject([{ code: 'unknown-field' }]);
});

test('what a row leaves empty stays so against a name, and not against a person or the share', () => {
  const row = { leftEmpty: [STATUS.id] };
  expect(merge({ name: { status: 'x' }, row })).toMatchObject({ values: {}, leftEmpty: [STATUS.id] });
  expect(merge({ row, person: { Status: 'x' } })).toMatchObject({
    values: { [STATUS.id]: 'x' },
    leftEmpty: [],
  });
  expect(merge({ row, share: { Status: 'x' } })).toMatchObject({
    values: { [STATUS.id]: 'x' },
    leftEmpty: [],
  });
});

test('a cell that is wrong hides the name, and is cured by a person or the share', () => {
  const row = { faults: [fault] };
  expect(merge({ name: { status: 'x' }, row })).toMatchObject({ values: {}, faults: [fault] });
  expect(merge({ row, person: { Status: 'x' } })).toMatchObject({ values: { [STATUS.id]: 'x' }, faults: [] });
  expect(merge({ row, share: { Status: 'x' } })).toMatchObject({ values: { [STATUS.id]: 'x' }, faults: [] });
});

test('a person leaves a field empty with an empty list, against row, name and default; not against the share', () => {
  const person = { Status: [] };
  for (const row of [{ faults: [fault] }, { writes: [cell('Issued')] }, {}])
    expect(merge({ name: { status: 'x' }, row, person })).toMatchObject({
      values: {},
      leftEmpty: [STATUS.id],
      faults: [],
      problems: [],
    });
  expect(merge({ person, share: { Status: 'x' } })).toMatchObject({
    values: { [STATUS.id]: 'x' },
    leftEmpty: [],
  });
});

test('a cell that a person has emptied says nothing: what the name says counts', () => {
  const said = { name: { status: 'x' }, row: { faults: [fault] } };
  const named = { values: { [STATUS.id]: 'x' }, leftEmpty: [], faults: [] };
  expect(merge({ ...said, person: { Status: '' } })).toMatchObject(named);
  expect(merge({ ...said, row: { writes: [cell('Issued')] }, person: { Status: '' } })).toMatchObject(named);
  expect(merge({ row: { leftEmpty: [STATUS.id] }, person: { Status: '' } })).toMatchObject({
    values: {},
    leftEmpty: [],
  });
});

test('what is emptied in a column that is no field is told, as any value there', () => {
  for (const Colour of ['', []])
    expect(merge({ person: { Colour } }).problems).toMatchObject([{ code: 'unknown-field' }]);
});

test('of two names of one field in answers the last counts, whether it gives a value or takes one away', () => {
  expect(merge({ person: { Status: 'x', status: [] } })).toMatchObject({
    values: {},
    leftEmpty: [STATUS.id],
  });
  expect(merge({ person: { Status: [], status: 'x' } })).toMatchObject({
    values: { [STATUS.id]: 'x' },
    leftEmpty: [],
  });
});

test('of answers under two names of one field the one that was given last counts', () => {
  const given: ValuesByField[] = [{ Status: 'B' }, { status: 'C' }, { Status: 'D' }];
  const person = given.reduce(layOver, {});
  expect(merge({ person }).values).toEqual({ [STATUS.id]: 'D' });
  expect(merge({ name: given.reduce(addGiven, {}) }).values).toEqual({ [STATUS.id]: 'D' });
});
