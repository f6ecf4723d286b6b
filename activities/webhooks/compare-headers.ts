// Whether a hook's headers are the wanted ones, as far as it can be seen: the service masks Authorization
// down to its last five characters.

const SHOWN_CHARACTERS = 5;

/**
 * `shown` as the service answered it. Header names are compared without regard to case;
 * further headers are a difference.
 */
export function compareHeaders(
  wanted: Readonly<Record<string, string>>,
  shown: Readonly<Record<string, string>>,
): 'same' | 'different' {
  const byName = new Map(Object.entries(shown).map(([name, value]) => [name.toLowerCase(), value]));
  const names = Object.keys(wanted);
  if (byName.size !== names.length) return 'different';
  return names.every(name => looksLike(wanted[name] ?? '', byName.get(name.toLowerCase())))
    ? 'same'
    : 'different';
}

function looksLike(wanted: string, shown: string | undefined): boolean {
  if (shown === undefined) return false;
  if (shown === wanted) return true;
  if (shown.slice(-SHOWN_CHARACTERS) !== wanted.slice(-SHOWN_CHARACTERS)) return false;
  // A value that is shown whole and only ends alike is another value. Before the end of a masked one there is
  // nothing but mask characters (`x`, or no letter or digit), if anything, and perhaps the scheme (`Bearer`).
  const hidden = shown.slice(0, -SHOWN_CHARACTERS);
  const scheme = /^\S+ /.exec(wanted)?.[0] ?? '';
  const mask = scheme !== '' && hidden.startsWith(scheme) ? hidden.slice(scheme.length) : hidden;
  return !/[a-z0-9]/i.test(mask.replace(/x/gi, ''));
}
