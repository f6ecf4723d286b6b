// What a long run of kill cases has seen so far, in a file, so that one that is broken off can go on where it
// stopped. It holds for one build and one plan; another build begins anew, in another file.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Violation } from './part';

/** What became of a case. */
export interface CaseEnd {
  /** How many of the ordered kills were reached. */
  readonly reached: number;
  readonly violations: readonly Violation[];
}

interface Head {
  readonly build: string;
  /** Of the run without a kill that the cases were planned by: another run's may differ by chance. */
  readonly boundaries: readonly string[];
}

interface Line extends CaseEnd {
  readonly case: string;
}

export class KillRecord {
  readonly boundaries: readonly string[];
  readonly #file: string;
  readonly #ends = new Map<string, CaseEnd>();

  /**
   * @param name of the part, its form and its seed: one file each in `folder`, which is made.
   * @param census boundaries that a run without a kill has just shown; used where the file is new.
   * @throws where the file is of another build.
   */
  constructor(folder: string, name: string, build: string, census: readonly string[]) {
    mkdirSync(folder, { recursive: true });
    this.#file = join(folder, `${name}.jsonl`);
    if (!existsSync(this.#file)) this.#append({ build, boundaries: census } satisfies Head);
    const [head, ...lines] = readLines(this.#file) as [Head, ...Line[]];
    if (head.build !== build) throw new Error(`${this.#file} is the record of another build.`);
    this.boundaries = head.boundaries;
    for (const { case: name, ...end } of lines) this.#ends.set(name, end);
  }

  endOf(name: string): CaseEnd | undefined {
    return this.#ends.get(name);
  }

  note(name: string, end: CaseEnd): void {
    this.#ends.set(name, end);
    this.#append({ case: name, ...end } satisfies Line);
  }

  #append(line: object): void {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}

/** Broken off in the middle of a line: that case is run again. */
function readLines(file: string): object[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .flatMap(line => {
      try {
        return [JSON.parse(line) as object];
      } catch {
        return [];
      }
    });
}

/**
 * Not the tests, and not the page, which takes no part in a batch; nor what begins with a point: notes of the
 * compiler, which name the tests too, and what Node has compiled, which grows while it runs.
 */
const NOT_KILLED = ['test', join('client', 'console')];

/**
 * SHA-256 over what is built and takes part in the run: names and contents.
 * @param without rooms that take none.
 */
export function fingerprintOf(dist: string, without: readonly string[] = NOT_KILLED): string {
  const hash = createHash('sha256');
  const files = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(dist.length + 1))
    .filter(name => !name.startsWith('.') && !without.some(room => name.startsWith(`${room}${sep}`)))
    .sort();
  for (const name of files) {
    hash.update(`${name}\0`);
    hash.update(
      createHash('sha256')
        .update(readFileSync(join(dist, name)))
        .digest(),
    );
  }
  return hash.digest('hex');
}
