// Since when sheets have stood still, by what was seen of them and by our own clock alone.
import { join } from 'node:path';
import { keepFew } from '../../host/keep-few';
import { ifThere, openIfThere } from '../files/if-there';
import { decodeName } from '../files/relative-path';
import { type FileFacts, type OpenFolder, Place, type ShareFs } from '../files/share-fs';
import { fromRoot, type ShareLayout } from '../files/share-layout';
import type { SheetNews } from './sheet-news';

type Facts = Pick<FileFacts, 'sizeBytes' | 'mtimeNs' | 'identity'>;

interface Sighting {
  readonly facts: Facts;
  readonly sinceMs: number;
  /** How often it could not be read since. */
  tries: number;
  isHandled: boolean;
}

const MOST_REMEMBERED = 10_000;
/**
 * How long a sheet is waited for that a program has open, which says so by a file beside it: somebody may
 * correct row after row and save in between. But such a file may also be what a crash has left.
 */
const OPEN_MS = 10 * 60_000;

export class Sightings {
  readonly #settleMs: number;
  readonly #nowMs: () => number;
  readonly #seen = new Map<string, Sighting>();

  constructor(settleMs: number, nowMs: () => number) {
    this.#settleMs = settleMs;
    this.#nowMs = nowMs;
  }

  /** Takes in a look. `due`: it has stood still, and was not handled as it is. */
  note(path: string, facts: Facts, isOpen: boolean): 'due' | 'open' | 'not-now' {
    const known = this.#seen.get(path);
    if (known === undefined || !isSame(known.facts, facts)) {
      this.#remember(path, { facts, sinceMs: this.#nowMs(), tries: 0, isHandled: false });
      return 'not-now';
    }
    const restsMs = this.#nowMs() - known.sinceMs;
    if (known.isHandled || restsMs < this.#settleMs * (known.tries + 1)) return 'not-now';
    return isOpen && restsMs < OPEN_MS ? 'open' : 'due';
  }

  of(path: string): Readonly<Sighting> | undefined {
    return this.#seen.get(path);
  }

  handled(path: string): void {
    const known = this.#seen.get(path);
    if (known !== undefined) known.isHandled = true;
  }

  /** It could not be read: a little later it may be whole. */
  again(path: string): void {
    const known = this.#seen.get(path);
    if (known !== undefined) known.tries += 1;
  }

  #remember(path: string, sighting: Sighting): void {
    keepFew(this.#seen, path, sighting, MOST_REMEMBERED);
  }
}

/**
 * Of the sheets in a folder, those to be read now, by their paths from the root, and those that are open.
 * @param sightingsOf of a sheet by its name; undefined for one that is not wanted.
 */
export async function findDueSheets(
  { fs, root }: ShareLayout,
  folder: string,
  sightingsOf: (name: string) => Sightings | undefined,
): Promise<{ readonly due: readonly string[]; readonly waiting: readonly SheetNews[] }> {
  const due: string[] = [];
  const waiting: SheetNews[] = [];
  const open = await openIfThere(fs, root, folder);
  if (open === undefined) return { due, waiting };
  try {
    const names = await listNames(fs, open);
    for (const name of names) {
      const sightings = sightingsOf(name);
      if (sightings === undefined) continue;
      const facts = await ifThere(fs.look(new Place(open, name)));
      if (facts?.kind !== 'file') continue;
      const path = fromRoot(root, join(folder, name));
      const sight = sightings.note(path, facts, isOpenElsewhere(name, names));
      if (sight === 'due') due.push(path);
      if (sight === 'open') waiting.push({ kind: 'waits', path, why: 'it is open in a program' });
    }
  } finally {
    await open.close();
  }
  return { due, waiting };
}

export async function listNames(fs: ShareFs, folder: OpenFolder): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const entry of fs.entries(new Place(folder, '.'))) {
    const name = decodeName(entry.name);
    if (name !== undefined) names.push(name);
  }
  return names;
}

/** By what Excel (`~$name`) or LibreOffice (`.~lock.name#`) put beside it while it is open. */
export function isOpenElsewhere(name: string, names: readonly string[]): boolean {
  return names.some(each => {
    if (each === `.~lock.${name}#`) return true;
    // Of a long name Excel leaves out the first two letters.
    return each.startsWith('~$') && each.length > 6 && name.endsWith(each.slice(2));
  });
}

function isSame(one: Facts, other: Facts): boolean {
  return (
    one.sizeBytes === other.sizeBytes && one.mtimeNs === other.mtimeNs && one.identity === other.identity
  );
}
