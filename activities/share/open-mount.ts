// Whether an open share is there at all, and where: mounts go, hang, and come back as others.
import type { Clock } from '../host/clock';
import { isGone } from '../host/file-trouble';
import { probeShare, type Reachability } from './files/reachability';
import { ShareError, toShareError } from './files/share-error';
import type { ShareLayout } from './files/share-layout';
import { findTraits, type ShareTraits } from './files/share-traits';
import { resolveLayout } from './resolve-layout';
import type { ShareMount, ShareTrial } from './share';
import type { ShareConfig } from './share-config';

export class OpenMount implements ShareMount, ShareTrial {
  readonly #config: ShareConfig;
  readonly #clock: Clock;
  #layout: ShareLayout;

  constructor(config: ShareConfig, layout: ShareLayout, clock: Clock) {
    this.#config = config;
    this.#layout = layout;
    this.#clock = clock;
  }

  /** Where things are; another one after `reopen`. */
  get layout(): ShareLayout {
    return this.#layout;
  }

  async isInPlace(): Promise<boolean> {
    const { fs, root, rootIdentity, drop, dropIdentity, batches } = this.#layout;
    try {
      if ((await fs.look(root)).identity !== rootIdentity) return false;
      // Inode numbers are used again at once: a root made anew may have the old one, but not our folders.
      await fs.look(batches);
      return (await fs.look(drop)).identity === dropIdentity;
    } catch (error) {
      if (isGone(error)) return false;
      throw toShareError(error) ?? error;
    }
  }

  async freeBytes(): Promise<number> {
    return await this.#layout.fs.freeBytes(this.#layout.root);
  }

  async tryOut(): Promise<ShareTraits> {
    const { fs, own } = this.#layout;
    return await findTraits(fs, own, () => this.#clock.wallMs());
  }

  async isReachable(timeoutMs?: number): Promise<Reachability> {
    return await probeShare(this.#layout.root, timeoutMs);
  }

  async reopen(): Promise<void> {
    const before = this.#layout;
    const { fs } = before;
    try {
      const root = await fs.look(await fs.realpath(this.#config.folder));
      const isKnown = await fs.look(before.own).then(
        () => true,
        () => false,
      );
      // The bare folder under a mount point is not the share, and must not be made into one.
      if (!isKnown && root.device !== before.rootDevice) {
        throw new ShareError('share-away', 'The folder is there, but the share is not mounted on it.');
      }
      this.#layout = await resolveLayout(this.#config, fs, before.seals, 'below-root', root.identity);
    } catch (error) {
      throw error instanceof ShareError
        ? error
        : new ShareError('share-away', 'The share does not answer.', error);
    }
  }
}
