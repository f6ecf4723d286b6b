// One answer for each name.

export function tellEach<Name extends string, Told>(
  names: readonly Name[],
  tell: (name: Name) => Told,
): Record<Name, Told> {
  return Object.fromEntries(names.map(name => [name, tell(name)])) as Record<Name, Told>;
}
