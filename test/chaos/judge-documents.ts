// Which files were dropped, found again by path and content. A file that had to make way for another of its
// name comes back with " (2)" before its ending.
import type { DroppedFile } from './judge-evidence';

export class DocumentIndex {
  readonly #byPath = new Map<string, DroppedFile[]>();
  readonly #byDocument = new Map<string, number>();
  readonly #names = new Set<string>();

  constructor(dropped: readonly DroppedFile[]) {
    for (const file of dropped) {
      this.#names.add(nameOf(file.path));
      this.#byPath.set(file.path, [...(this.#byPath.get(file.path) ?? []), file]);
      for (const sha256 of contentsOf(file)) {
        const key = `${nameOf(file.path)}\0${sha256}`;
        this.#byDocument.set(key, (this.#byDocument.get(key) ?? 0) + (file.drops ?? 1));
      }
    }
  }

  /** All files dropped under this path, or under the path this one makes way for. */
  at(path: string): readonly DroppedFile[] {
    return [...(this.#byPath.get(path) ?? []), ...(this.#byPath.get(withoutSuffix(path)) ?? [])];
  }

  /**
   * The name a revision is found by: the field, unless a naming standard computes it; then the
   * file's own. What Step 4 was told counts only there: when its ids changed places, the field is
   * put right afterwards and it cannot be.
   */
  calledOf(revision: { readonly name: string; readonly fileName: string }): string {
    const isDropped = this.#names.has(revision.name) || this.#names.has(withoutSuffix(revision.name));
    return isDropped ? revision.name : revision.fileName;
  }

  /**
   * The same of a revision that somebody else has made of an upload of ours: ids that changed places are put
   * right once the upload was read, and he may have been faster. Then its bytes tell, where they are of one
   * file alone.
   */
  documentOf(revision: {
    readonly name: string;
    readonly fileName: string;
    readonly sha256: string;
  }): string {
    const called = this.calledOf(revision);
    if (this.allowed(called, revision.sha256) > 0) return called;
    const names = new Set(this.pathsOf(revision.sha256, []).map(nameOf));
    const [only = called] = names;
    return names.size === 1 ? only : called;
  }

  /** Whether a revision has this file's name. */
  isCalled(revision: { readonly name: string; readonly fileName: string }, fileName: string): boolean {
    return this.calledOf(revision).normalize('NFC') === fileName.normalize('NFC');
  }

  /** How many documents may come of this name and content: as many as were dropped. */
  allowed(fileName: string, sha256: string): number {
    const exact = this.#byDocument.get(`${fileName}\0${sha256}`);
    return exact ?? this.#byDocument.get(`${withoutSuffix(fileName)}\0${sha256}`) ?? 0;
  }

  /**
   * Under which paths something with these bytes was dropped, with those among `claimed` that such a file was
   * given when it made way for another.
   */
  pathsOf(sha256: string, claimed: readonly string[]): readonly string[] {
    const dropped = [...this.#byPath].flatMap(([path, files]) =>
      files.some(file => contentsOf(file).includes(sha256)) ? [path] : [],
    );
    const given = claimed.filter(path => !this.#byPath.has(path) && dropped.includes(withoutSuffix(path)));
    return [...new Set([...dropped, ...given])];
  }

  /** When it was put there, if the case has noted it; of the same bytes under one path the first time. */
  droppedAtMs(path: string, sha256: string): number | undefined {
    const same = this.at(path).filter(file => contentsOf(file).includes(sha256));
    const times = same.flatMap(({ droppedAtMs }) => droppedAtMs ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Whether a document of this name was dropped more than once with the same content. */
  isTwin(fileName: string): boolean {
    const prefix = `${fileName}\0`;
    return [...this.#byDocument].some(([key, count]) => key.startsWith(prefix) && count > 1);
  }

  /** How often something was dropped under this path. */
  dropsOf(path: string): number {
    const exact = this.#byPath.get(path);
    const files = exact ?? this.#byPath.get(withoutSuffix(path)) ?? [];
    return files.reduce((sum, { drops }) => sum + (drops ?? 1), 0);
  }
}

/** Every content this file may have: as it was dropped, and as somebody made it afterwards. */
export function contentsOf(file: DroppedFile): readonly string[] {
  return [...new Set([file.sha256, ...(file.rewritten ?? [])])];
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** `plan (2).pdf` is `plan.pdf`. */
function withoutSuffix(path: string): string {
  return path.replace(/ \(\d+\)(\.[^./]*)?$/, '$1');
}

/** Items by key. */
export function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
