// Keeps the last few manifests: they never change, and each of a batch's files asks for its own.
import { keepFew } from '../../host/keep-few';
import type { SealedManifest } from './manifest';

export class SealCache {
  readonly #seals = new Map<string, SealedManifest>();

  async read(batchId: string, load: () => Promise<SealedManifest>): Promise<SealedManifest> {
    const known = this.#seals.get(batchId);
    if (known !== undefined) return known;
    const seal = await load();
    keepFew(this.#seals, batchId, seal, 16);
    return seal;
  }
}
