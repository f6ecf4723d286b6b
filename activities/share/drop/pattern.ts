// Patterns of the configuration: JavaScript's regular expressions, run by an engine whose time
// grows with the length of the name and no faster. The names are other people's; no pattern may
// let one of them stop the process.
import { RE2JS } from 're2js';

export interface Pattern {
  /** Of its named groups, as they are written. */
  readonly names: readonly string[];
  /** What the named groups matched, by their names; groups that took no part are left out. */
  groupsOf(text: string): Readonly<Record<string, string>>;
}

/** What JavaScript's engine does by going back and trying again: the linear engine cannot do it. */
const UNKNOWN: readonly (readonly [begins: RegExp, what: string])[] = [
  [/^\(\?<[=!]/, 'It looks behind, with "(?<=" or "(?<!"'],
  [/^\(\?[=!]/, 'It looks ahead, with "(?=" or "(?!"'],
  [/^\\(?:[1-9]|k<)/, 'It refers back to what a group matched, with "\\1" or "\\k<name>"'],
];

/**
 * White space as JavaScript has it; the engine's own means ASCII, and Macs put no-break spaces into names.
 */
const SPACE = '\\t-\\r\\x{feff}\\p{Z}';

/** One piece of a pattern: an escape, the beginning of a class or group, or one character. */
const PIECE = /\\(?:k<|[pP]\{[^}]*\}|.)|\(\?<[=!]|\(\?[=!]|\(\?<[^>]*>|./gsuy;

/**
 * Compiles one pattern. Its named groups are field names: `^(?<number>[A-Z]+-\d+)_(?<revision>[^.]+)\.`.
 * @throws Error whose message says what is wrong with it.
 */
export function compilePattern(source: string): Pattern {
  // Only parsed, never run: it throws for what is no regular expression at all.
  new RegExp(source, 'u');
  const { text, names } = translate(source);
  if (names.length === 0) {
    throw new Error('It has no named group such as (?<number>...), so it can give no field a value.');
  }
  const engine = compileLinear(text);
  return {
    names,
    groupsOf: name => {
      const found = engine.matcher(name);
      if (!found.find()) return {};
      const groups = names.map((field, at): [string, string | null] => [field, found.group(`g${at}`)]);
      return Object.fromEntries(groups.filter((group): group is [string, string] => group[1] !== null));
    },
  };
}

/** In the engine's own syntax. Its group names are ASCII, field names are not: groups get numbers instead. */
function translate(source: string): { readonly text: string; readonly names: readonly string[] } {
  const names: string[] = [];
  let text = '';
  let isInClass = false;
  for (const [piece] of source.matchAll(PIECE)) {
    const unknown = isInClass ? undefined : UNKNOWN.find(([begins]) => begins.test(piece));
    if (unknown !== undefined) throw new Error(`${unknown[1]}, which patterns here cannot do.`);
    const name = isInClass ? undefined : /^\(\?<(.+)>$/s.exec(piece)?.[1];
    if (name !== undefined) {
      text += `(?<g${names.push(nameOfGroup(name, names)) - 1}>`;
    } else if (piece === '\\s') {
      text += isInClass ? SPACE : `[${SPACE}]`;
    } else if (piece === '\\S' && !isInClass) {
      text += `[^${SPACE}]`;
    } else {
      text += piece;
    }
    if (piece === '[') isInClass = true;
    if (piece === ']') isInClass = false;
  }
  return { text: RE2JS.translateRegExp(text), names };
}

function nameOfGroup(name: string, others: readonly string[]): string {
  if (name.includes('\\')) throw new Error(`Write the name of the group "${name}" without escapes.`);
  if (others.includes(name)) throw new Error(`Two of its groups have the name "${name}".`);
  return name;
}

function compileLinear(text: string): RE2JS {
  try {
    return RE2JS.compile(text);
  } catch (error) {
    const what = (error as Error).message.replace(/^error parsing regexp: /, '');
    throw new Error(`Patterns here cannot do everything that JavaScript's can: ${what}.`, { cause: error });
  }
}
