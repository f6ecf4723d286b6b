// Keeps the last few manifests: they never change, and each of a batch's files asks for its own.
import type { SealedManifest } from './manifest';

export class SealCache {
  readonly #seals = new Map<string, SealedManifest>();

  async read(batchId: string, load: () => Promise<SealedManifest>): Promise<SealedManifest> {
    const known = this.#seals.get(batchId);
    if (known !== undefined) return known;
    const seal = await load();
    this.#seals.set(batchId, seal);
    const oldest = this.#seals.keys().next().value;
    if (this.#seals.size > 16 && oldest !== undefined) this.#seals.delete(oldest);
    return seal;
  }
}
