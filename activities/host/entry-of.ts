// Tables by codes and names that come from outside.

/** What the table has under the name. Of its own entries only: every object has a `constructor`. */
export function entryOf<Name extends string, Entry>(
  table: Readonly<Partial<Record<Name, Entry>>>,
  name: string,
): Entry | undefined {
  return Object.hasOwn(table, name) ? table[name as Name] : undefined;
}
