import { type Person, resolveMember } from '../../../activities/users/resolve-member';

const standard = { id: '302', name: 'Standard' };
const admin = { id: '303', name: 'Project Admin' };
const people: readonly Person[] = [
  person('1', 'Ada Ashby', standard),
  person('2', 'Robin Namesake', admin),
  person('3', 'Robin Namesake', standard),
  { ...person('4', 'Ivo Gone', standard), isActive: false },
  person('5', 'Chloé Dubois', null),
];

function person(userId: string, name: string, template: Person['template']): Person {
  const [first = '', last = ''] = name.split(' ');
  return {
    userId,
    name,
    email: `${last.toLowerCase()}-${userId}@example.com`,
    spellings: [`${last}, ${first}`],
    isActive: true,
    template,
  };
}

test.each([
  ['1', '1'],
  ['Ada Ashby', '1'],
  ['ada ashby', '1'],
  ['Ashby, Ada', '1'],
  ['NAMESAKE-3@EXAMPLE.COM', '3'],
  ['chloé dubois', '5'],
])('%j is user %s', (user, userId) => {
  expect(resolveMember({ user, template: '9' }, people)).toMatchObject({ kind: 'found', member: { userId } });
});

test.each([
  ['Robin Namesake', 'ambiguous-user', 'namesake-2@example.com'],
  ['Ivo Gone', 'inactive-user', ''],
  ['Ada Ashbi', 'unknown-user', 'Ada Ashby'],
  ['0', 'unknown-user', ''],
])('%j is refused as %s', (user, code, hint) => {
  const result = resolveMember({ user, template: '302' }, people);
  expect(result).toMatchObject({ kind: 'refused', reasons: [{ code }] });
  expect(JSON.stringify(result)).toContain(hint);
});

test('a template goes by the name that somebody has, or by an id that nobody has', () => {
  expect(resolveMember({ user: '1', template: 'project admin' }, people)).toMatchObject({ template: admin });
  expect(resolveMember({ user: '1', template: '999' }, people)).toMatchObject({
    template: { id: '999', name: '' },
  });
});

test('an id of nobody is outside', () => {
  expect(resolveMember({ user: '77', template: '302', previousTemplate: '303' }, people)).toEqual({
    kind: 'outside',
    userId: '77',
    template: standard,
    previous: admin,
  });
});

test('all faults are told at once', () => {
  const result = resolveMember({ user: 'Nobody', template: 'None', previousTemplate: 'Nor this' }, people);
  expect(result).toMatchObject({
    reasons: [{ code: 'unknown-user' }, { code: 'unknown-template' }, { code: 'unknown-previousTemplate' }],
  });
});

test('the present template counts as the previous one, whatever the input says', () => {
  const found = resolveMember({ user: '1', template: '303', previousTemplate: '303' }, people);
  expect(found).toMatchObject({ previous: standard });
  const hidden = resolveMember({ user: '5', template: '303', previousTemplate: '302' }, people);
  expect(hidden).toMatchObject({ previous: standard });
});
