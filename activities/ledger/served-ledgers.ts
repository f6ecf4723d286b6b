// The ledgers of the shares that a process serves, and what they show of documents about to be sent. The
// shares have the truth; the index of this host is brought up to date before it is asked, for another host
// may have noted something a moment ago.
import { setTimeout as delay } from 'node:timers/promises';
import type { ProjectRef } from '../../workflows/contract';
import { forEachLimited } from '../host/concurrency';
import { IncidentLog } from '../host/incident-log';
import { nowAndThen } from '../host/now-and-then';
import { isSameProject, type Manifest, type ManifestFile } from '../share/batch/manifest';
import { ShareError } from '../share/files/share-error';
import type { NamedShare, RevisionLedger, ShareLogger } from '../share/share';
import type { DuplicateRules } from '../share/share-config';
import type { Candidate } from './decide/candidate';
import { decideBatch } from './decide/decide-batch';
import { decideDocument, type Stopped } from './decide/decide-document';
import { isSentAnyway, rulesFor } from './decide/duplicate-rules';
import type { FollowProgress } from './follow-ledger';
import type { LedgerDocument } from './index-keys';
import type { FollowCall, LedgerIndex } from './ledger-index';
import { lookUpKnown, lookUpLastMs } from './look-up-known';
import type { SeenBatches } from './seen-batches';
import { toCandidate } from './to-candidate';

/**
 * A batch waits so long for an index that is being read for the first time. It goes on by what is read until
 * then: the newest records come first.
 */
const MOST_WAIT_MS = 15_000;
const CLOSE_WITHIN_MS = 2_000;
const SAY_EVERY_MS = 10_000;
const TRY_AGAIN_MS = 60_000;
/** Documents that are looked up at one time. */
const PARALLEL = 8;

export type LedgerShare = NamedShare & RevisionLedger;

export interface StopQuestion {
  readonly share: LedgerShare;
  readonly manifest: Manifest;
  /** Those that are asked for. */
  readonly files: readonly ManifestFile[];
  /** Codes that documents were held for, and that a person has let go; by place in the batch. */
  readonly meant?: ReadonlyMap<number, readonly string[]> | undefined;
  /** True before anything of the batch is sent: then its files are compared with each other as well. */
  readonly isOpening?: boolean | undefined;
}

/** By places in the batch. */
export type Stops = ReadonlyMap<number, Stopped>;

/** What the ledgers of a project say of files about to be sent. */
export interface StopFinder {
  /** Those of the files that are not to be sent, or not before somebody says so, and why. */
  findStops(question: StopQuestion): Promise<Stops>;
}

export interface ServedLedgersDeps {
  /** One for each share: a mount that hangs keeps the lock of its own index, and of no other. */
  readonly openIndex: (share: string) => LedgerIndex;
  readonly openSeen: (share: string) => Promise<SeenBatches>;
  readonly logger: ShareLogger;
  /** Ends all reading. */
  readonly draining: AbortSignal;
  readonly waitMs?: number;
}

/**
 * A reading that has begun may have missed what was noted since: whoever asks then waits for the next one.
 */
interface Readings {
  running: Promise<void> | undefined;
  next: Promise<void> | undefined;
}

export class ServedLedgers implements StopFinder {
  readonly #deps: ServedLedgersDeps;
  readonly #shares = new Map<string, LedgerShare>();
  readonly #indexes = new Map<string, LedgerIndex>();
  readonly #readings = new Map<string, Readings>();
  readonly #behind = new IncidentLog();

  constructor(deps: ServedLedgersDeps) {
    this.#deps = deps;
  }

  /** From now on the share is one of those that are asked. Unlike `serve`, this reads and notes nothing. */
  know(share: LedgerShare): void {
    this.#shares.set(share.name, share);
    share.noteAfter(async ({ batchId, project }, entry) => {
      try {
        return await lookUpLastMs(this.#indexesOf(share), batchId, entry, { project, shares: [] });
      } catch (error) {
        this.#sayBehind(share, error);
        return undefined;
      }
    });
  }

  /**
   * From now on the share is one of those that are asked. Notes what was finished before there was a ledger,
   * and reads what is new; ends when both are done, or the process drains.
   */
  async serve(share: LedgerShare): Promise<void> {
    const { draining, logger } = this.#deps;
    this.know(share);
    while (!draining.aborted) {
      try {
        const added = await this.#noteFinished(share);
        if (added > 0) {
          const fields = { event: 'ledger-completed', share: share.name, documents: added };
          logger.info(fields, 'Finished batches of earlier versions are noted in the ledger');
        }
        await this.#read(share);
        return;
      } catch (error) {
        if (draining.aborted) return;
        this.#sayBehind(share, error);
        await delay(TRY_AGAIN_MS, undefined, { signal: draining }).catch(() => undefined);
      }
    }
  }

  async #noteFinished(share: LedgerShare): Promise<number> {
    const seen = await this.#deps.openSeen(share.name);
    try {
      return (await share.noteFinished({ signal: this.#deps.draining, seen })).added;
    } finally {
      // A cache: where it cannot be kept, these are looked at again.
      await seen.save().catch(() => undefined);
    }
  }

  /** To be called once the process drains. */
  async close(): Promise<void> {
    const readings = [...this.#readings.values()].flatMap(({ running, next }) => [running, next]);
    // A mount that hangs must not keep the process from ending.
    const late = delay(CLOSE_WITHIN_MS, undefined, { ref: false });
    await Promise.race([Promise.allSettled(readings), late]);
    for (const index of this.#indexes.values()) await index.close();
  }

  async findStops({ share, manifest, files, meant, isOpening }: StopQuestion): Promise<Stops> {
    const { config } = share;
    const stops = new Map<number, Stopped>();
    const rulesOf = (candidate: Candidate) => rulesFor(config.duplicates, candidate);
    const words = await share.readWords();
    const toCandidates = (some: readonly ManifestFile[]) =>
      some.flatMap(file => toCandidate(config, manifest, file, words, meant?.get(file.index)) ?? []);
    const asked = toCandidates(files);
    if (asked.some(candidate => !isSentAnyway(rulesOf(candidate)))) await this.#bringUpToDate(share);
    await forEachLimited(asked, PARALLEL, async candidate => {
      const rules = rulesOf(candidate);
      const stop = isSentAnyway(rules)
        ? undefined
        : await this.#decide(share, manifest.project, candidate, rules);
      if (stop !== undefined) stops.set(candidate.index, stop);
    });
    if (isOpening === true) {
      // A file that is skipped, being there already, does not stop others of the batch.
      const going = toCandidates(manifest.files).filter(({ index }) => stops.get(index)?.kind !== 'skip');
      const places = new Set(asked.map(({ index }) => index));
      for (const [index, stop] of decideBatch(going, rulesOf)) {
        if (places.has(index) && !stops.has(index)) stops.set(index, stop);
      }
    }
    // In the order of the batch, whichever was found first.
    return new Map([...stops].sort(([one], [other]) => one - other));
  }

  async #decide(
    share: LedgerShare,
    project: ProjectRef,
    candidate: Candidate,
    rules: DuplicateRules,
  ): Promise<Stopped | undefined> {
    const where = { project, shares: [] };
    try {
      const known = await lookUpKnown(this.#indexesOf(share), candidate, rules, where);
      const isOwn = (one: LedgerDocument) =>
        one.batchId === candidate.batchId && one.index === candidate.index;
      // The ledger has this very document as submitted. Its run goes on and finds that out: it is not stopped
      // here.
      if (known.sameBytes.some(isOwn)) return undefined;
      return decideDocument(candidate, known, rules);
    } catch (error) {
      if (this.#deps.draining.aborted) throw error;
      this.#sayBehind(share, error);
      return undefined;
    }
  }

  /** @throws what the share itself says when it is away. */
  async #bringUpToDate(share: LedgerShare): Promise<void> {
    const ended = new AbortController();
    const timeout = delay(this.#deps.waitMs ?? MOST_WAIT_MS, 'late' as const, { signal: ended.signal });
    const unread = new Set(this.#sharesOf(share));
    // Another share that was late before is not waited for until it has been read.
    const awaited = [...unread].filter(one => one.name === share.name || !this.#behind.isOpen(one.name));
    const readings = new Map(
      [...unread].map(one => {
        const reading = this.#tryToRead(one, share).then(() => void unread.delete(one));
        reading.catch(() => undefined);
        return [one, reading] as const;
      }),
    );
    const all = Promise.all(awaited.map(one => readings.get(one)));
    all.catch(() => undefined);
    try {
      if ((await Promise.race([all, timeout])) !== 'late') return;
      for (const one of unread) this.#sayBehind(one, new Error('It is still being read.'));
    } finally {
      ended.abort();
      timeout.catch(() => undefined);
    }
  }

  /**
   * Throws what `own`, the share of the batch, says when it is away: the batch cannot go on without it in any
   * case. What is wrong with another share is only logged.
   */
  async #tryToRead(share: LedgerShare, own: LedgerShare): Promise<void> {
    try {
      await this.#readSoon(share);
      this.#behind.ends(share.name);
    } catch (error) {
      if (this.#deps.draining.aborted) throw error;
      if (share.name === own.name && error instanceof ShareError) throw error;
      this.#sayBehind(share, error);
    }
  }

  #indexOf({ name }: LedgerShare): LedgerIndex {
    const known = this.#indexes.get(name) ?? this.#deps.openIndex(name);
    this.#indexes.set(name, known);
    return known;
  }

  /** All indexes that count for a share, asked as one. */
  #indexesOf(share: LedgerShare): Pick<LedgerIndex, 'find'> {
    const indexes = this.#sharesOf(share).map(one => this.#indexOf(one));
    return {
      find: async (...asked) => (await Promise.all(indexes.map(index => index.find(...asked)))).flat(),
    };
  }

  /** The share itself, and those that are served for the same project. */
  #sharesOf(share: LedgerShare): readonly LedgerShare[] {
    const others = [...this.#shares.values()].filter(
      ({ name, config }) => name !== share.name && isSameProject(config.project, share.config.project),
    );
    return [share, ...others];
  }

  /** Reads the ledger of a share by a reading that begins after this call. */
  async #readSoon(share: LedgerShare): Promise<void> {
    const known = this.#readings.get(share.name) ?? { running: undefined, next: undefined };
    this.#readings.set(share.name, known);
    known.next ??= (async () => {
      await known.running?.catch(() => undefined);
      known.running = known.next;
      known.next = undefined;
      this.#deps.draining.throwIfAborted();
      await this.#read(share);
    })();
    await known.next;
  }

  async #read(share: LedgerShare): Promise<void> {
    const call: FollowCall = { signal: this.#deps.draining, onProgress: this.#teller() };
    await this.#indexOf(share).follow(share.ledger, call);
  }

  /** Long readings only: told now and then how far they are. */
  #teller(): (progress: FollowProgress) => void {
    return nowAndThen(SAY_EVERY_MS, ({ share, monthsDone, months, documents }) => {
      const fields = { event: 'ledger-reading', share, monthsDone, months, documents };
      this.#deps.logger.info(fields, 'The ledger of a share is being read');
    });
  }

  /** Warns of it once, until the ledger is up to date again. */
  #sayBehind({ name }: LedgerShare, error: unknown): void {
    if (this.#deps.draining.aborted || !this.#behind.begins(name)) return;
    const why = error instanceof Error ? error.message : String(error);
    this.#deps.logger.warn(
      { event: 'ledger-behind', share: name, why },
      'What was sent before is not wholly known here yet: a file that is dropped again may become a revision again',
    );
  }
}
