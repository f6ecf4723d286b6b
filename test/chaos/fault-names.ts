// File names that naive code trips over: in headers, in addresses, in JSON, in paths.
import type { SeededChance } from './fault-random';

export interface OddName {
  readonly path: string;
  /** Whether it can be a document's name; the others are set apart with a reason. */
  readonly travels: boolean;
}

const ODD: readonly (readonly [path: string, travels: boolean])[] = [
  ['Pläne & Details+1 #% 100%.pdf', true],
  ['図面 一階.pdf', true],
  [' leading and trailing .pdf', true],
  ["it's; DROP TABLE--.pdf", true],
  ['..double..dots...pdf', true],
  ['-rf.pdf', true],
  ['%41%2F..%2Fescape.pdf', true],
  ['{"json": [1]}.pdf', true],
  ['CON.pdf', true],
  ['no ending', true],
  ['back\\slash.pdf', true],
  ['emoji 🏗️.pdf', true],
  ['line\nbreak.pdf', false],
  ['header\r\nX-Injected: yes.pdf', false],
  ['bell\u0007.pdf', false],
  ['reversed \u202efdp.exe', false],
];

/** A few of them; each with the number of its case, so that no two cases share one. */
export function oddNames(chance: SeededChance, number: number): readonly OddName[] {
  const long = { path: `Package B/${'n'.repeat(240)}${String(number).padStart(4, '0')}.pdf`, travels: true };
  const picked = chance
    .shuffle(ODD)
    .slice(0, 5)
    .map(([path, travels]) => ({ path: `s${number} ${path}`, travels }));
  return [...picked, long];
}

/** How many of these paths are odd ones. */
export function oddNameCount(paths: readonly string[]): number {
  return paths.filter(path => ODD.some(([odd]) => path.endsWith(` ${odd}`)) || path.length > 200).length;
}
