// Several Temporals may see one share: two machines that mount it, two namespaces, an old
// database and a new one. Each says here that it is at work; one of them watches the share, and
// each batch is carried by one of them.
import { join } from 'node:path';
import { z } from 'zod';
import { isGone, isTaken } from '../../host/file-trouble';
import { isThere, lookIfThere, unlinkIfThere } from '../files/if-there';
import { type MarkKind, NOT_OURS, type OnNotOurs, readMark, toMarkText } from '../files/own-marks';
import { ShareError, toShareError } from '../files/share-error';
import type { BatchPaths, ShareLayout } from '../files/share-layout';
import { writeOnce, writeOver } from '../files/write-whole';
import {
  describeTemporal,
  type Held,
  type Hold,
  type Holder,
  type OurTemporal,
  readHold,
  type TemporalName,
  takeHold,
  temporalSchema,
} from './hold';
import { StillWatch } from './still-watch';

/** How many beats fit into the time after which a Temporal that stands still counts as gone. */
const BEATS = 10;
const LONGEST_BEAT_MS = 10_000;
/** One whose database is known to be gone counts as gone after so many beats. */
const FORMER_BEATS = 3;

const watchSchema = z.strictObject({
  version: z.literal(1),
  temporal: temporalSchema,
  since: z.iso.datetime(),
});
/** What `watch.json` says: whose watchers claim the files of this share. */
export type ShareWatch = z.infer<typeof watchSchema>;

const stoppedSchema = z.strictObject({
  version: z.literal(1),
  /** How its run ended, or that Temporal has forgotten it. */
  outcome: z.string().max(100),
  at: z.iso.datetime(),
});
/** What `stopped.json` says. */
export type StoppedMark = z.infer<typeof stoppedSchema>;

const WATCH: MarkKind<ShareWatch> = {
  kind: 'watch',
  label: 'The mark of who watches the share',
  schema: watchSchema,
};
const STOPPED: MarkKind<StoppedMark> = {
  kind: 'stopped',
  label: 'The mark of a stopped batch',
  schema: stoppedSchema,
};

export interface TemporalsDeps {
  readonly layout: () => ShareLayout;
  readonly locate: (batchId: string) => Promise<BatchPaths>;
  readonly takeOverMs: number;
  readonly now: () => Date;
  readonly monotonicMs: () => number;
  readonly onNotOurs: OnNotOurs;
}

export class ShareTemporals {
  /** How often everybody who works here is to say so. */
  readonly beatMs: number;
  /** How long another one must stand still until it is followed. */
  readonly takeOverMs: number;
  readonly #deps: TemporalsDeps;
  readonly #still: StillWatch;

  constructor(deps: TemporalsDeps) {
    this.#deps = deps;
    this.beatMs = beatOf(deps.takeOverMs);
    this.takeOverMs = deps.takeOverMs;
    this.#still = new StillWatch(deps.monotonicMs, FORMER_BEATS * this.beatMs);
  }

  /** Says that this Temporal is at work on the share, and looks which of the others are. */
  async beat(ours: OurTemporal): Promise<void> {
    try {
      await this.#say(ours);
      const ids = new Set(this.#still.known);
      const { fs, temporals } = this.#deps.layout();
      for await (const entry of fs.entries(temporals)) {
        const name = entry.name.toString('utf8');
        if (name.endsWith('.json')) ids.add(name.slice(0, -'.json'.length));
      }
      for (const id of ids) await this.#stillMs(id);
    } catch (error) {
      throw toShareError(error) ?? error;
    }
  }

  /** Takes a batch for a run, once; see `takeHold`. */
  async hold(batchId: string, holder: Holder): Promise<Held> {
    const paths = await this.#deps.locate(batchId);
    return await this.#take(paths, holder, id => this.#isGone(id, holder.temporal));
  }

  /**
   * Makes sure that the batch is still this Temporal's; one that nobody holds is taken.
   * @param or 'or settled': a batch that has its final receipt is nobody's any more, and no error.
   * @throws ShareError `batch-held` when another one carries it; `bad-request` when it has finished it.
   */
  async requireHold(batchId: string, holder: Holder, or?: 'or settled'): Promise<void> {
    const paths = await this.#deps.locate(batchId);
    if (or === 'or settled' && (paths.isFinished || (await isThere(paths.fs, paths.receipt)))) return;
    if (paths.isFinished) {
      const hold = await readHold(paths, this.#deps.onNotOurs);
      if (hold === undefined || hold.temporal.id === holder.temporal.id) return;
      throw new ShareError('bad-request', `Batch ${batchId} was finished by ${whose(hold)}.`);
    }
    const held = await this.#take(paths, holder, async () => false);
    if (held.kind === 'other') throw isHeld(batchId, held.hold);
  }

  /**
   * By the word of an operator: whoever holds the batch, it is ours now, unless its holder has finished it.
   */
  async takeOver(batchId: string, holder: Holder): Promise<'taken' | 'finished'> {
    const paths = await this.#deps.locate(batchId);
    if (paths.isFinished) return 'finished';
    // We say first that we are at work: else the other Temporal would at once take back what it has lost.
    await this.#say(holder.temporal);
    try {
      await this.#take(paths, holder, async () => true);
      return 'taken';
    } catch (error) {
      if (isGone(error) && (await this.#deps.locate(batchId)).isFinished) return 'finished';
      throw error;
    }
  }

  /** Which Temporal carries the batch, if one does. `isGone`: it is another one, and has stood still. */
  async holdOf(
    batchId: string,
    ours: OurTemporal,
  ): Promise<{ readonly hold: Hold; readonly isOurs: boolean; readonly isGone: boolean } | undefined> {
    const paths = await this.#deps.locate(batchId);
    const hold = await readHold(paths, this.#deps.onNotOurs);
    if (hold === undefined) return undefined;
    const isOurs = hold.temporal.id === ours.id;
    return { hold, isOurs, isGone: !isOurs && (await this.#isGone(hold.temporal.id, ours)) };
  }

  /**
   * Whose watchers claim the files of this share; ours when it was nobody's or the other one is gone.
   * @param force by the word of an operator.
   */
  async watchFor(ours: OurTemporal, force = false): Promise<TemporalName> {
    const layout = this.#deps.layout();
    try {
      if (force) await this.#say(ours);
      for (;;) {
        const watch = await this.#readWatch();
        const text = toWatchText(layout, ours, this.#deps.now());
        if (watch === undefined) {
          if (await writeOnce(layout.fs, layout.watch, text)) return ours;
        } else if (watch === NOT_OURS) {
          await writeOver(layout.fs, layout.watch, text);
        } else if (watch.temporal.id === ours.id) {
          return watch.temporal;
        } else if (force || (await this.#isGone(watch.temporal.id, ours))) {
          // Of two that take over at once the last writer stays, and the other learns of it at its next look.
          await writeOver(layout.fs, layout.watch, text);
        } else return watch.temporal;
      }
    } catch (error) {
      throw toShareError(error) ?? error;
    }
  }

  /** Whose watchers claim here, without changing it; undefined when nobody ever did. */
  async watchedBy(
    ours: Pick<OurTemporal, 'id'>,
  ): Promise<{ readonly temporal: TemporalName; readonly isOurs: boolean } | undefined> {
    const watch = await this.#readWatch();
    if (watch === undefined || watch === NOT_OURS) return undefined;
    return { temporal: watch.temporal, isOurs: watch.temporal.id === ours.id };
  }

  /** When a Temporal last said that it is at work here, in Unix ms of its host; undefined for never. */
  async lastBeatMs(temporalId: string): Promise<number | undefined> {
    const layout = this.#deps.layout();
    const facts = await lookIfThere(layout.fs, markOf(layout, temporalId));
    return facts && Number(facts.mtimeNs / 1_000_000n);
  }

  /** Notes that nobody runs the batch: its run was ended, or failed. It waits for a person to resume it. */
  async noteStopped(batchId: string, outcome: string): Promise<void> {
    const paths = await this.#deps.locate(batchId);
    if (paths.isFinished) return;
    const mark: StoppedMark = { version: 1, outcome, at: this.#deps.now().toISOString() };
    const text = toMarkText(paths.seals, STOPPED, paths.batchId, mark);
    const known = await readStopped(paths, this.#deps.onNotOurs);
    if (known === NOT_OURS) await writeOver(paths.fs, paths.stopped, text);
    else await writeOnce(paths.fs, paths.stopped, text);
  }

  async clearStopped(batchId: string): Promise<void> {
    const paths = await this.#deps.locate(batchId);
    await unlinkIfThere(paths.fs, paths.stopped);
  }

  async #take(
    paths: BatchPaths,
    holder: Holder,
    isGone: (temporalId: string) => Promise<boolean>,
  ): Promise<Held> {
    return await takeHold(paths, holder, this.#deps.now(), isGone, this.#deps.onNotOurs);
  }

  async #readWatch(): Promise<ShareWatch | typeof NOT_OURS | undefined> {
    const { fs, watch, seals } = this.#deps.layout();
    return await readMark(fs, seals, WATCH, watch, '', this.#deps.onNotOurs);
  }

  async #isGone(temporalId: string, ours: OurTemporal): Promise<boolean> {
    const patienceMs = ours.former.includes(temporalId)
      ? Math.min(this.#deps.takeOverMs, FORMER_BEATS * this.beatMs)
      : this.#deps.takeOverMs;
    return (await this.#stillMs(temporalId)) >= patienceMs;
  }

  async #stillMs(temporalId: string): Promise<number> {
    const layout = this.#deps.layout();
    const facts = await lookIfThere(layout.fs, markOf(layout, temporalId));
    return this.#still.look(temporalId, String(facts?.mtimeNs ?? 'none'));
  }

  async #say(ours: OurTemporal): Promise<void> {
    const layout = this.#deps.layout();
    const path = markOf(layout, ours.id);
    try {
      await layout.fs.touch(path);
    } catch (error) {
      if (!isGone(error)) throw error;
      await layout.fs.makeFolder(layout.temporals, { private: true }).catch(other => {
        if (!isTaken(other)) throw other;
      });
      await writeOnce(layout.fs, path, toWatchText(layout, ours, this.#deps.now()));
    }
  }
}

/** The mark that a batch has no run any more; undefined while it has one, or nobody has missed it yet. */
export async function readStopped(
  paths: BatchPaths,
  onNotOurs: OnNotOurs,
): Promise<StoppedMark | typeof NOT_OURS | undefined> {
  return await readMark(paths.fs, paths.seals, STOPPED, paths.stopped, paths.batchId, onNotOurs);
}

function beatOf(takeOverMs: number): number {
  return Math.min(LONGEST_BEAT_MS, Math.ceil(takeOverMs / BEATS));
}

/** What is said of a batch that another Temporal carries. */
export function isHeld(batchId: string, hold: Hold): ShareError {
  return new ShareError('batch-held', `Batch ${batchId} is carried by ${whose(hold)}.`);
}

function whose({ temporal, since }: Hold): string {
  return `another Temporal: ${describeTemporal(temporal)}, since ${since}`;
}

function toWatchText(
  { seals }: ShareLayout,
  { former: _former, ...temporal }: OurTemporal,
  now: Date,
): string {
  const watch: ShareWatch = { version: 1, temporal, since: now.toISOString() };
  return toMarkText(seals, WATCH, '', watch);
}

/** Ids come from a server: nothing of them but letters, digits and dashes gets into a path. */
function markOf(layout: ShareLayout, temporalId: string): string {
  return join(layout.temporals, `${temporalId.replaceAll(/[^\w-]/g, '_').slice(0, 100)}.json`);
}
