import {
  addGiven,
  layOver,
  refuseEmptied,
  withoutEmptied,
} from '../../../../workflows/ingest/decide/add-given';

test('an empty text leaves what the name says, an empty list takes it away, a value goes before it', () => {
  const named = { Type: 'Drawing', Status: 'Issued', Number: 'A-1' };
  expect(addGiven(named, { Type: '', Status: [], Number: 'A-2' })).toEqual({
    Type: 'Drawing',
    Status: [],
    Number: 'A-2',
  });
});

test('what is given comes last: of several names for one field the last counts', () => {
  const names = (values: object) => Object.keys(values);
  expect(names(layOver({ Rev: 'B', revision: 'C' }, { Rev: 'D' }))).toEqual(['revision', 'Rev']);
  expect(names(addGiven({ Rev: 'B', revision: 'C' }, { Rev: 'D' }))).toEqual(['revision', 'Rev']);
  expect(names(addGiven({ Rev: 'B', revision: 'C' }, { Rev: '' }))).toEqual(['Rev', 'revision']);
});

test('where values are written already, that nothing is to be there is no answer by itself', () => {
  expect(refuseEmptied({})).toBeUndefined();
  expect(withoutEmptied({ Type: 'Drawing', Remark: [], Note: '' })).toEqual({ Type: 'Drawing' });
  expect(refuseEmptied({ Type: 'Drawing', Remark: [] })).toBeUndefined();
  expect(refuseEmptied({ Remark: [], Note: '' })).toMatchObject({
    code: 'value-written',
    text: expect.stringContaining('"Remark", "Note"'),
  });
});
