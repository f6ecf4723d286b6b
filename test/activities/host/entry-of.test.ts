import { entryOf } from '../../../activities/host/entry-of';

test('a table has its own entries, and nothing of what every object has', () => {
  const table: Readonly<Partial<Record<'here' | 'empty', string | undefined>>> = {
    here: 'word',
    empty: undefined,
  };
  const found = ['here', 'empty', 'elsewhere', 'constructor', '__proto__'].map(name => entryOf(table, name));
  expect(found).toEqual(['word', undefined, undefined, undefined, undefined]);
});
