// What belongs to the test run of an upload, beside what has come of it: the checksums that the person's
// machine has worked out, and the result with its sheet.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { ifThere, unlinkIfThere } from '../../files/if-there';
import { type MarkKind, NOT_OURS, readMark, toMarkText } from '../../files/own-marks';
import { writeOver } from '../../files/write-whole';
import { folderOfUpload, type UploadDeps } from './upload-place';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const hashesSchema = z.strictObject({
  version: z.literal(1),
  hashes: z.array(sha256.nullable()).max(10_000),
});
const HASHES: MarkKind<z.output<typeof hashesSchema>> = {
  kind: 'upload-hashes',
  label: 'The checksums of an upload',
  schema: hashesSchema,
};

const testSchema = z.strictObject({ version: z.literal(1), report: z.json(), sheet: sha256 });
const TEST: MarkKind<z.output<typeof testSchema>> = {
  kind: 'upload-test',
  label: 'The test run of an upload',
  schema: testSchema,
};

/** The largest result that is read: a whole register with our columns added. */
const MOST_BYTES = 256 * 1024 ** 2;

export class UploadTests {
  readonly #id: string;
  readonly #deps: UploadDeps;

  constructor(id: string, deps: UploadDeps) {
    this.#id = id;
    this.#deps = deps;
  }

  /** Before a test run: a checksum for each file, null where there is none. An earlier result is removed. */
  async begin(hashes: readonly (string | null)[]): Promise<void> {
    const { fs, seals } = this.#layout;
    await unlinkIfThere(fs, this.#in('test.json'));
    await writeOver(
      fs,
      this.#in('hashes.json'),
      toMarkText(seals, HASHES, this.#id, { version: 1, hashes: [...hashes] }),
    );
  }

  async hashes(): Promise<readonly (string | null)[]> {
    const { fs, seals } = this.#layout;
    const read = await readMark(fs, seals, HASHES, this.#in('hashes.json'), this.#id, this.#deps.onNotOurs);
    return read === undefined || read === NOT_OURS ? [] : read.hashes;
  }

  async put(report: object, sheet: Buffer): Promise<void> {
    const { fs, seals } = this.#layout;
    await writeOver(fs, this.#in('test-sheet'), sheet);
    const value = { version: 1 as const, report: z.json().parse(report), sheet: hash('sha256', sheet) };
    await writeOver(fs, this.#in('test.json'), toMarkText(seals, TEST, this.#id, value));
  }

  /** Undefined while there is none. */
  async read(): Promise<unknown> {
    return (await this.#read())?.report;
  }

  async readSheet(): Promise<Buffer | undefined> {
    const read = await this.#read();
    if (read === undefined) return undefined;
    const bytes = await ifThere(this.#layout.fs.read(this.#in('test-sheet'), MOST_BYTES));
    return bytes !== undefined && hash('sha256', bytes) === read.sheet ? bytes : undefined;
  }

  async #read() {
    const { fs, seals } = this.#layout;
    const read = await readMark(fs, seals, TEST, this.#in('test.json'), this.#id, this.#deps.onNotOurs);
    return read === undefined || read === NOT_OURS ? undefined : read;
  }

  get #layout() {
    return this.#deps.layout();
  }

  #in(name: string): string {
    return join(folderOfUpload(this.#deps, this.#id), name);
  }
}
