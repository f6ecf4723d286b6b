// Remembers the finished batches of a share of which nothing became a revision: the ledger has no record that
// would show that they were looked at. In the state folder; what is lost there is read again.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isGone } from '../host/file-trouble';

const FILE_NAME = 'without-revisions.txt';

export class SeenBatches {
  readonly #path: string;
  readonly #seen: Set<string>;
  #saved: number;

  private constructor(path: string, seen: Set<string>) {
    this.#path = path;
    this.#seen = seen;
    this.#saved = seen.size;
  }

  /** @param folder of the share's index. */
  static async read(folder: string): Promise<SeenBatches> {
    const path = join(folder, FILE_NAME);
    const text = await readFile(path, 'utf8').catch(error => {
      if (isGone(error)) return '';
      throw error;
    });
    // A line that was cut off names no batch.
    return new SeenBatches(path, new Set(text.split('\n').filter(line => line !== '')));
  }

  has(batchId: string): boolean {
    return this.#seen.has(batchId);
  }

  add(batchId: string): void {
    this.#seen.add(batchId);
  }

  /** Of two processes that save at one time, one is overwritten: what it saw is looked at once more. */
  async save(): Promise<void> {
    if (this.#seen.size === this.#saved) return;
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const draft = `${this.#path}.${process.pid}`;
    await writeFile(draft, [...this.#seen].map(batchId => `${batchId}\n`).join(''), { mode: 0o600 });
    await rename(draft, this.#path);
    this.#saved = this.#seen.size;
  }
}
