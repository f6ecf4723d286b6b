// Manifests of batches that wait, read once: they never change.
import type { BatchContents } from '../../../activities/share/batch/read-batch';
import type { ConsoleShare } from '../serve/module';

type Manifest = BatchContents['manifest'];
/** Some hundred KiB each at the most. */
const MOST_KEPT = 300;

export class KnownManifests {
  readonly #kept = new Map<string, Manifest>();

  /** Undefined while its share cannot be read. */
  async read({ config, share }: ConsoleShare, batchId: string): Promise<Manifest | undefined> {
    const key = `${config.name}/${batchId}`;
    const known = this.#kept.get(key) ?? (await share?.readBatch(batchId).catch(() => undefined))?.manifest;
    if (known === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, known);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return known;
  }
}
