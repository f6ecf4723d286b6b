// What people read of dependencies that are away, and of batches that wait for a person.

import { entryOf } from '../../activities/host/entry-of';
import type { Dependency } from '../../activities/scope/dependency-away';
import { type Paint, toDurationText, toShellWord, toTable, toVisible } from '../session/terminal-text';
import type { BatchStatus } from './batch-status';
import type { AwayDependency } from './incident-list';
import type { UnservedWork } from './unserved';

const MOST_WHY = 70;
/** Batches that are named where many wait for the same. */
const MOST_NAMED = 3;

const WORDS: Readonly<Record<Exclude<Dependency, 'share'>, string>> = {
  authentication: 'authentication',
  api: 'API of the service',
  storage: 'storage',
  temporal: 'Temporal',
};

/** The dependency in a few words; a share by its name. */
export function toDependencyText(dependency: string, share?: string): string {
  // A log line of another build may name one that this build does not know.
  if (dependency !== 'share') return entryOf(WORDS, dependency) ?? dependency;
  return share === undefined || share === '' ? 'disk of a worker' : `share ${share}`;
}

/** "10 batches with 100 documents", or empty when nobody waits. */
export function describeWaiting(waiting: {
  readonly batches: number;
  readonly documents: number;
  readonly others: number;
}): string {
  const { batches, documents, others } = waiting;
  const ofBatches =
    batches === 0
      ? []
      : [
          `${count(batches, 'batch', 'batches')}${documents === 0 ? '' : ` with ${count(documents, 'document', 'documents')}`}`,
        ];
  return [...ofBatches, ...(others === 0 ? [] : [count(others, 'other run', 'other runs')])].join(' and ');
}

function count(many: number, one: string, more: string): string {
  return `${many} ${many === 1 ? one : more}`;
}

/** A table with one row for each dependency, and what happens next. */
export function describeAway(away: readonly AwayDependency[], now: Date, paint: Paint): string {
  const rows = away.map(one => [
    toDependencyText(one.dependency, one.share),
    one.sinceMs === null ? 'not known' : toDurationText(now.getTime() - one.sinceMs),
    one.others === 0
      ? String(one.batches)
      : `${one.batches} + ${count(one.others, 'other run', 'other runs')}`,
    one.documents === 0 ? '' : String(one.documents),
    toNextText(one.nextAttemptMs, now),
    toVisible(one.why, MOST_WHY),
  ]);
  const table = toTable([['AWAY', 'SINCE', 'BATCHES', 'DOCUMENTS', 'NEXT ATTEMPT', 'WHY'], ...rows]);
  const [heading = '', ...below] = table.split('\n');
  return [
    paint('red', heading),
    ...below,
    'What needs it waits, and goes on by itself within a minute and a half of its return. Nothing has to be done here.',
  ].join('\n');
}

export interface UnservedText {
  readonly command: string;
  readonly paint: Paint;
  /** Names of those that are configured here. */
  readonly shares: ReadonlySet<string>;
}

/** What no worker asks for, and what to start. */
export function describeUnserved(
  unserved: readonly UnservedWork[],
  { command, paint, shares }: UnservedText,
): string {
  return unserved
    .map(({ share, batches, documents, others }) => {
      const whose =
        share === undefined ? 'No worker is running' : `No worker serves share ${toVisible(share)}`;
      const waiting = describeWaiting({ batches, documents, others });
      const todo =
        share === undefined
          ? `Start one: ${command} worker`
          : shares.has(share)
            ? `Start one on a host that sees this share: ${command} worker`
            : toStrangeShareAdvice(command);
      return `${paint('red', `${whose}:`)} ${waiting} ${batches + others === 1 ? 'waits' : 'wait'}. ${todo}`;
    })
    .join('\n');
}

/** Of a share that work waits for, and that the configuration does not have. */
export function toStrangeShareAdvice(command: string): string {
  return (
    'No share is configured by that name here. If one was renamed, give it that name back until what waits has ended; ' +
    `else start a worker on a host that has it: ${command} worker`
  );
}

export interface BlockedText {
  readonly command: string;
  readonly now: Date;
  readonly paint: Paint;
  /** What several of them are called. */
  readonly noun?: string;
}

/** One entry for each reason, however many batches or other runs wait for the same. */
export function describeBlocked(
  batches: readonly {
    readonly batchId: string;
    readonly progress?: { readonly blocked?: Blocked } | undefined;
  }[],
  { command, now, paint, noun = 'batches' }: BlockedText,
): readonly string[] {
  const groups = new Map<string, { batchId: string; blocked: Blocked }[]>();
  for (const { batchId, progress } of batches) {
    const blocked = progress?.blocked;
    if (blocked === undefined) continue;
    const key = JSON.stringify([blocked.reason.code, blocked.reason.text]);
    groups.set(key, [...(groups.get(key) ?? []), { batchId, blocked }]);
  }
  return [...groups.values()].flatMap(group => {
    const [first] = group;
    if (first === undefined) return [];
    const { reason } = first.blocked;
    const sinceMs = Math.min(...group.map(({ blocked }) => blocked.sinceMs));
    const names = group.slice(0, MOST_NAMED).map(({ batchId }) => toVisible(batchId));
    const more = group.length > names.length ? ` and ${group.length - names.length} more` : '';
    const resume =
      group.length === 1
        ? `${command} resume ${toShellWord(first.batchId)}`
        : `${command} resume --reason ${toShellWord(reason.code)}`;
    const who = group.length === 1 ? toVisible(first.batchId) : `${group.length} ${noun}`;
    return [
      `  ${paint('yellow', who)}  ${toVisible(reason.text)} ${toVisible(reason.fix)}`,
      ...(group.length === 1 ? [] : [`    ${names.join(', ')}${more}`]),
      `    since ${toDurationText(now.getTime() - sinceMs)}; once repaired: ${resume}`,
    ];
  });
}

type Blocked = NonNullable<NonNullable<BatchStatus['progress']>['blocked']>;

function toNextText(nextAttemptMs: number | null, now: Date): string {
  if (nextAttemptMs === null) return 'now';
  return nextAttemptMs - now.getTime() < 1_000
    ? 'now'
    : `in ${toDurationText(nextAttemptMs - now.getTime())}`;
}
