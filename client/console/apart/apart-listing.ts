// What was set apart on all shares, read no more often than it is worth: each look reads the receipts of all
// jobs that have something there.
import { setTimeout as delay } from 'node:timers/promises';
import type { BatchContents } from '../../../activities/share/batch/read-batch';
import type { SetApartFile } from '../../../activities/share/receipt/set-apart';
import type { Share } from '../../../activities/share/share';
import type { CountOfJob } from '../jobs/jobs';
import type { ConsoleDeps } from '../serve/module';
import { texts } from '../texts/texts';
import { KnownManifests } from '../waiting/known-manifests';

type Manifest = BatchContents['manifest'];

export interface ApartFile extends SetApartFile {
  readonly share: Share;
  /** Undefined where it cannot be read any more. */
  readonly manifest: Manifest | undefined;
}

export interface ApartListing {
  readonly files: readonly ApartFile[];
  /** What could not be looked at, one sentence each. */
  readonly unread: readonly { readonly share: string; readonly text: string }[];
}

/** How long a look is shared. A change ends that (`forget`): from then on a look from after it is shared. */
const LEAST_MS = 2_000;
/** A slow look is shared for so many times as long as it took: looking takes a tenth of the time at most. */
const TIMES = 10;

interface Look {
  readonly listing: Promise<ApartListing>;
  /** Undefined while it is under way. */
  endedMs?: number;
  tookMs?: number;
}

/** What the newest look that has ended found. */
interface Found {
  readonly look: number;
  /** Equal for two looks that have found the same. */
  readonly mark: string;
  readonly countOf: CountOfJob;
}

type Deps = Pick<ConsoleDeps, 'shares' | 'now' | 'changed'>;

export class ApartFiles {
  readonly #deps: Deps;
  readonly #manifests = new KnownManifests();
  #last: Look | undefined;

  #looks = 0;
  #found: Found | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** As it was at most `leastMs` ago, or longer ago where looking is slow. */
  async list(leastMs = LEAST_MS): Promise<ApartListing> {
    const begunMs = this.#nowMs();
    const { listing, endedMs = begunMs, tookMs = 0 } = this.#last ?? {};
    const isFresh = begunMs - endedMs < Math.max(leastMs, tookMs * TIMES);
    if (listing !== undefined && isFresh) return await listing;
    const look = ++this.#looks;
    const last: Look = { listing: this.#look().then(listing => this.#note(look, listing)) };
    this.#last = last;
    try {
      return await last.listing;
    } finally {
      last.endedMs = this.#nowMs();
      last.tookMs = last.endedMs - begunMs;
    }
  }

  /**
   * How many documents of each job still lie there. A look that takes longer than `patienceMs` goes on in the
   * background: then these are the counts of before, undefined where there are none, and pages are told when
   * the look has found others.
   */
  async countByJob(patienceMs: number): Promise<CountOfJob | undefined> {
    const ended = new AbortController();
    const late = delay(patienceMs, undefined, { signal: ended.signal }).catch(() => undefined);
    await Promise.race([this.list().catch(() => undefined), late]);
    ended.abort();
    return this.#found?.countOf;
  }

  /** Something was done, or has changed: the next `list` looks anew. */
  forget(): void {
    this.#last = undefined;
  }

  /** Keeps what a look has found. Where it is not what was found before, pages are told to ask again. */
  #note(look: number, listing: ApartListing): ApartListing {
    const before = this.#found;
    if (before !== undefined && look < before.look) return listing;
    const found = listing.files.map(file => [jobKeyOf(file), file.batchId, file.index]);
    const mark = JSON.stringify([listing.unread, found]);
    const isSame = before?.mark === mark;
    this.#found = { look, mark, countOf: isSame ? before.countOf : countByJob(listing) };
    if (before === undefined || isSame) return listing;
    const last = this.#last;
    this.#deps.changed(['apart', 'jobs']);
    // That made us `forget`, but this look is where the news comes from: it still counts.
    this.#last = last;
    return listing;
  }

  #nowMs(): number {
    return this.#deps.now().getTime();
  }

  async #look(): Promise<ApartListing> {
    const files: ApartFile[] = [];
    const unread: { share: string; text: string }[] = [];
    for (const one of this.#deps.shares()) {
      const { share, why } = one;
      const { name } = one.config;
      if (share === undefined) {
        unread.push({ share: name, text: texts.asked.shareIsAway(name, why) });
        continue;
      }
      try {
        const found = await share.setApart();
        for (const { batchId, why: fault } of found.unreadable)
          unread.push({ share: name, text: texts.apart.unreadReceipt(batchId, fault) });
        for (const file of found.files)
          files.push({ ...file, share, manifest: await this.#manifests.read(one, file.batchId) });
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        unread.push({ share: name, text: texts.apart.unreadShare(name, text) });
      }
    }
    return { files, unread };
  }
}

function countByJob({ files, unread }: ApartListing): CountOfJob {
  const unknown = new Set(unread.map(({ share }) => share));
  const counts = new Map<string, number>();
  for (const file of files) {
    const job = jobKeyOf(file);
    counts.set(job, (counts.get(job) ?? 0) + 1);
  }
  return (share, job) => (unknown.has(share) ? undefined : (counts.get(`${share}/${job}`) ?? 0));
}

/** Share and job; the batch where it has no job, and while its manifest cannot be read. */
function jobKeyOf({ share, batchId, manifest }: ApartFile): string {
  return `${share.name}/${manifest?.job?.id ?? batchId}`;
}
