import {
  type ObservationLists,
  resolveObservationNames,
} from '../../../activities/observations/resolve-observation';

const person = (id: string, name: string) => ({ id, name, login: `${id}@example.com` });
const lists: ObservationLists = {
  types: [
    { id: '1', name: 'Safety Hazard', localizedName: 'Gefahr', category: 'Safety', isActive: true },
    { id: '2', name: 'Commissioning', localizedName: null, category: 'Commissioning', isActive: true },
    { id: '3', name: 'Snag', localizedName: null, category: 'Quality', isActive: false },
    { id: '4', name: 'Other', localizedName: null, category: 'Quality', isActive: true },
    { id: '5', name: 'Other', localizedName: null, category: 'Safety', isActive: true },
  ],
  assignees: [person('10', 'Ada Ashby')],
  members: [person('10', 'Ada Ashby'), person('11', 'Robin Namesake'), person('12', 'Robin Namesake')],
  defaults: [person('11', 'Robin Namesake')],
};

test.each([
  ['safety hazard', '1'],
  ['GEFAHR', '1'],
  ['Safety / Safety Hazard', '1'],
  ['Quality / Other', '4'],
  ['2', '2'],
])('the type "%s" is %s', (type, typeId) => {
  expect(resolveObservationNames({ type }, lists)).toMatchObject({ kind: 'resolved', typeId });
});

test('people resolve by name, e-mail address or id, each once; nobody is set who was not named', () => {
  expect(
    resolveObservationNames(
      { type: '1', assignee: 'ada ashby', distribution: ['10@example.com', 'Ada Ashby', '12'] },
      lists,
    ),
  ).toEqual({
    kind: 'resolved',
    typeId: '1',
    category: 'Safety',
    assigneeId: '10',
    distributionMemberIds: ['10', '12'],
  });
  expect(resolveObservationNames({ type: '1' }, lists)).toEqual({
    kind: 'resolved',
    typeId: '1',
    category: 'Safety',
  });
});

test('"default" is who is told of every observation', () => {
  expect(resolveObservationNames({ type: '1', distribution: 'default' }, lists)).toMatchObject({
    distributionMemberIds: ['11'],
  });
});

test('everything that leads nowhere is said at once', () => {
  const found = resolveObservationNames(
    { type: 'Snag', assignee: 'Robin Namesake', distribution: ['Robin Namesake', 'Nobody'] },
    lists,
  );
  expect(found.kind === 'unresolved' && found.reasons.map(({ code }) => code)).toEqual([
    'type-inactive',
    'assignee-unknown',
    'distribution-member-ambiguous',
    'distribution-member-unknown',
  ]);
  expect(resolveObservationNames({ type: 'Other' }, lists)).toMatchObject({
    reasons: [{ code: 'type-ambiguous' }],
  });
});
