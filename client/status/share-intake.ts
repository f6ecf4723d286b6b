// What only the share can tell of its intake: whether files are taken in at all and what keeps them out,
// which batches nobody runs, and what another Temporal has. Read only.
import { describeTemporal, type OurTemporal, type TemporalName } from '../../activities/share/batch/hold';
import {
  type BatchState,
  isOnItsWay,
  isOurs,
  OTHER_KEY_ADVICE,
} from '../../activities/share/claim/open-batches';
import type {
  MistakenFiles,
  NamedShare,
  OpenBatches,
  ShareMount,
  TemporalMarks,
} from '../../activities/share/share';
import { SHARE_DEFAULTS } from '../../activities/share/share-config';
import { type Paint, toDurationText, toShellWord, toVisible } from '../session/terminal-text';

export interface ShareIntake {
  readonly share: string;
  /** Why nothing is taken in; null when nothing on the share keeps files out. */
  readonly stoppedBy: 'full' | 'no-space' | 'watched-elsewhere' | 'unseen' | null;
  /** Of `unseen`: why this host cannot tell. */
  readonly why?: string | undefined;
  /** Batches on their way, of `maxOpen`. */
  readonly open: number;
  readonly maxOpen: number;
  /** Batches that lie here unfinished, whoever has them. */
  readonly unfinished: readonly string[];
  /** Batches whose run failed or was ended. */
  readonly stopped: readonly string[];
  /** Folders among the batches that we did not make; absent for none. */
  readonly notOurs?: readonly string[] | undefined;
  /** Folders among the batches that are sealed with another key than this host's; absent for none. */
  readonly otherKey?: readonly string[] | undefined;
  /** Batches for which something was taken that nobody may have dropped; absent for none. */
  readonly mistaken?: readonly string[] | undefined;
  /** Present when the watchers of another Temporal claim here. */
  readonly watchedBy?: TemporalName | undefined;
  /** Of `watchedBy`: for how long it must stand still until a watcher here goes on by itself. */
  readonly takeOverMs?: number | undefined;
  readonly heldElsewhere: readonly { readonly batchId: string; readonly temporal: TemporalName }[];
}

const MOST_NAMED = 3;

export async function inspectIntake(
  share: NamedShare & MistakenFiles & OpenBatches & ShareMount & TemporalMarks,
  ours: OurTemporal,
): Promise<ShareIntake> {
  const { maxOpenBatches: maxOpen, minFreeBytes = SHARE_DEFAULTS.minFreeBytes } = share.config;
  try {
    const all = await share.openBatches();
    const batches = all.filter(isOurs);
    const idsOf = (wanted: BatchState) =>
      all.flatMap(({ batchId, state }) => (state === wanted ? [batchId] : []));
    const [notOurs, otherKey] = [idsOf('not-ours'), idsOf('other-key')];
    const open = batches.filter(isOnItsWay).length;
    const heldElsewhere: { batchId: string; temporal: TemporalName }[] = [];
    for (const { batchId, state } of batches) {
      if (state === 'claiming' || state === 'settling' || state === 'unreadable') continue;
      const held = await share.temporals.holdOf(batchId, ours);
      if (held?.isOurs === false) heldElsewhere.push({ batchId, temporal: held.hold.temporal });
    }
    const watch = await share.temporals.watchedBy(ours);
    const watchedBy = watch?.isOurs === false ? watch.temporal : undefined;
    const mistaken = await share.listMistaken();
    const hasSpace = (await share.freeBytes()) >= minFreeBytes;
    return {
      share: share.name,
      stoppedBy: watchedBy ? 'watched-elsewhere' : !hasSpace ? 'no-space' : open >= maxOpen ? 'full' : null,
      open,
      maxOpen,
      unfinished: batches.map(({ batchId }) => batchId),
      stopped: batches.filter(({ isStopped }) => isStopped).map(({ batchId }) => batchId),
      ...(notOurs.length === 0 ? {} : { notOurs }),
      ...(otherKey.length === 0 ? {} : { otherKey }),
      ...(mistaken.length === 0 ? {} : { mistaken }),
      ...(watchedBy === undefined ? {} : { watchedBy, takeOverMs: share.temporals.takeOverMs }),
      heldElsewhere,
    };
  } catch (error) {
    return unseenIntake(share.name, maxOpen, error instanceof Error ? error.message : String(error));
  }
}

export function unseenIntake(share: string, maxOpen: number, why: string): ShareIntake {
  return {
    share,
    stoppedBy: 'unseen',
    why,
    open: 0,
    maxOpen,
    unfinished: [],
    stopped: [],
    heldElsewhere: [],
  };
}

const ENDED = new Set(['FAILED', 'TERMINATED', 'CANCELLED', 'TIMED_OUT']);

/**
 * What Temporal says of runs that ended, before a watcher has come by and marked them on the share.
 * @param runs newest first.
 */
export function withEndedRuns(
  intakes: readonly ShareIntake[],
  runs: readonly { readonly batchId: string; readonly status: string }[],
): readonly ShareIntake[] {
  const newest = new Map<string, string>();
  for (const { batchId, status } of runs) if (!newest.has(batchId)) newest.set(batchId, status);
  return intakes.map(intake => {
    const elsewhere = new Set(intake.heldElsewhere.map(({ batchId }) => batchId));
    const ended = intake.unfinished.filter(
      batchId => !elsewhere.has(batchId) && ENDED.has(newest.get(batchId) ?? ''),
    );
    return { ...intake, stopped: [...new Set([...intake.stopped, ...ended])] };
  });
}

/** Nothing of a share where all is well. */
export function describeIntakes(intakes: readonly ShareIntake[], command: string, paint: Paint): string {
  return intakes.flatMap(intake => describeIntake(intake, command, paint)).join('\n');
}

function describeIntake(intake: ShareIntake, command: string, paint: Paint): string[] {
  const { stopped, heldElsewhere } = intake;
  const share = `Share ${toVisible(intake.share)}:`;
  const lines: string[] = [];
  const why = whyStopped(intake, command);
  if (why !== undefined)
    lines.push(`${paint(intake.stoppedBy === 'unseen' ? 'dim' : 'yellow', share)} ${why}`);
  if (stopped.length > 0) {
    const resume = `${command} resume --share ${toShellWord(intake.share)}`;
    lines.push(
      `${paint('red', share)} ${nameSome(stopped)} ${stopped.length === 1 ? 'has' : 'have'} no run any more. Why, and to go on: ${resume}`,
    );
  }
  const { notOurs = [], otherKey = [], mistaken = [] } = intake;
  if (notOurs.length > 0) {
    lines.push(
      `${paint('yellow', share)} ${nameSome(notOurs)} in .drawbridge/batches ${notOurs.length === 1 ? 'was' : 'were'} not made by Drawbridge: whoever can write to the share can have put them there. They count for nothing and are left as they lie. Look into them; before a file somebody misses is dropped again from there, look for it in the service.`,
    );
  }
  if (otherKey.length > 0) {
    lines.push(
      `${paint('yellow', share)} ${nameSome(otherKey)} in .drawbridge/batches ${otherKey.length === 1 ? 'is' : 'are'} sealed with another key than this host has, counted for nothing and left as ${otherKey.length === 1 ? 'it lies' : 'they lie'}. ${OTHER_KEY_ADVICE} Which key: ${command} resume --dry-run --share ${toShellWord(intake.share)}`,
    );
  }
  if (mistaken.length > 0) {
    lines.push(
      `${paint('yellow', share)} for ${nameSome(mistaken)} something else was taken than the files that had been seen; it lies in .drawbridge/mistaken and is not carried in. Look at it: a file that somebody dropped is moved back into the drop folder, one that a link led to goes where it came from.`,
    );
  }
  const holders = new Map(heldElsewhere.map(({ temporal }) => [temporal.id, temporal]));
  for (const [id, temporal] of holders) {
    const theirs = heldElsewhere.filter(held => held.temporal.id === id).map(({ batchId }) => batchId);
    const [first = ''] = theirs;
    const which = theirs.length === 1 ? toShellWord(first) : `--share ${toShellWord(intake.share)}`;
    lines.push(
      `${paint('yellow', share)} ${nameSome(theirs)} ${theirs.length === 1 ? 'is' : 'are'} carried by another Temporal: ${toVisible(describeTemporal(temporal))}. If that one is gone for good: ${command} resume ${which} --take-over`,
    );
  }
  return lines;
}

function whyStopped(intake: ShareIntake, command: string): string | undefined {
  const { stoppedBy, open, maxOpen, why, watchedBy, takeOverMs = 0 } = intake;
  switch (stoppedBy) {
    case 'full':
      return `takes nothing in: ${open} of at most ${maxOpen} batches are on their way. It goes on by itself when one ends.`;
    case 'no-space':
      return 'takes nothing in: it has hardly any room left.';
    case 'watched-elsewhere':
      return [
        `watched by another Temporal: ${watchedBy ? toVisible(describeTemporal(watchedBy)) : ''}.`,
        'What is dropped is claimed and carried by that one, not from here: ask for the status there.',
        `Once it has stood still for ${toDurationText(takeOverMs)}, a watcher here goes on by itself;`,
        `if it is gone for good, at once: ${command} resume --take-over`,
      ].join(' ');
    case 'unseen':
      return `cannot be seen from here, so nothing is known of its intake: ${toVisible(why ?? '')}`;
    case null:
      return undefined;
  }
}

function nameSome(batchIds: readonly string[]): string {
  const names = batchIds.slice(0, MOST_NAMED).map(batchId => toVisible(batchId));
  if (batchIds.length === 1) return `batch ${names[0]}`;
  const more = batchIds.length > names.length ? ` and ${batchIds.length - names.length} more` : '';
  return `${batchIds.length} batches (${names.join(', ')}${more})`;
}
