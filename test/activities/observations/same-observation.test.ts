// Which items can be the one that was asked for, by tables.
import { canBeSameItem } from '../../../activities/observations/same-observation';
import { listObservations, type ObservationFields } from '../../../activities/service/endpoints/observations';

const ASKED: ObservationFields = {
  name: 'Open edge',
  typeId: '2107',
  description: 'The guard rail is missing.',
  locationId: '12',
  assigneeId: '9001',
  dueDate: '2026-02-01',
  tradeId: '2401',
  priority: 'High',
  number: 'S-7',
};
const SHOWN = {
  id: 510_001,
  name: 'Open edge ',
  type: { id: 2107 },
  description: 'The guard rail is missing.',
  location: { id: 12 },
  assignee: { id: 9001, name: 'Ada Ashby' },
  due_date: '2026-02-01',
  trade: { id: 2401 },
  priority: 'high',
  number: 'S-7',
};

test.each<[string, object, boolean]>([
  ['shows all of it', {}, true],
  ['shows ids alone', { location: undefined, location_id: 12, trade: undefined, trade_id: 2401 }, true],
  ['shows none of the rest', { location: undefined, assignee: undefined, due_date: undefined }, true],
  ['shows a place that cannot be read', { location: 'Axis C' }, true],
  ['shows a time with its day', { due_date: '2026-02-01T00:00:00Z' }, true],
  ['is in another place', { location: { id: 11 } }, false],
  ['is in another place, by its id', { location: undefined, location_id: 11 }, false],
  ['is in no place', { location: null }, false],
  ['is another one’s', { assignee: { id: 9002, name: 'Ben' } }, false],
  ['is nobody’s', { assignee: null }, false],
  ['is due on another day', { due_date: '2026-02-02' }, false],
  ['is due on no day', { due_date: null }, false],
  ['is of another trade', { trade: { id: 2402 } }, false],
  ['has another priority', { priority: 'Low' }, false],
  ['has another number', { number: 'S-8' }, false],
  ['says otherwise', { description: 'Open.' }, false],
  ['is deleted', { deleted_at: '2026-02-01T00:00:00Z' }, false],
])('one that %s', (_, shown, expected) => {
  const [item] = listObservations.response.parse([{ ...SHOWN, ...shown }]);
  if (item === undefined) throw new RangeError('nothing was read');
  expect(canBeSameItem(item, ASKED)).toBe(expected);
});

test('what was not asked for the service may have set by itself', () => {
  const [item] = listObservations.response.parse([SHOWN]);
  if (item === undefined) throw new RangeError('nothing was read');
  const { name, typeId, description } = ASKED;
  expect(canBeSameItem(item, { name, typeId, description })).toBe(true);
});
