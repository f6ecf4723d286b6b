// Lets each incident through to the live view once, although several parts of the
// process notice it by themselves.
import { IncidentLog } from '../../activities/host/incident-log';
import type { LogRecord } from '../../workers/logging';

interface Blocked {
  readonly batches: Set<string>;
  /** How many have waited for it at all. */
  most: number;
}

/**
 * Keeps track of what has been shown. The watcher and the worker both notice an absent share, and each batch
 * that waits for a person says so: whoever looks on needs to read it once.
 */
export class IncidentFilter {
  readonly #away = new IncidentLog();
  readonly #blocked = new Map<string, Blocked>();

  /** The record to show, or undefined when it says what was shown before. */
  pass(record: LogRecord): LogRecord | undefined {
    switch (record.event) {
      case 'share-away':
      case 'temporal-away':
      case 'dependency-away':
        return this.#away.begins(toSubject(record)) ? record : undefined;
      case 'share-back':
      case 'temporal-back':
      case 'dependency-back':
        return this.#away.ends(toSubject(record)) ? record : undefined;
      case 'batch-blocked':
        return this.#block(record) ? record : undefined;
      case 'batch-resumed':
        return this.#resume(record);
      case 'batch-finished':
      case 'batch-stopped':
      case 'batch-moved':
        // It waits for nothing any more, and does not say so apart.
        this.#leave(String(record.batchId));
        return record;
      default:
        return record;
    }
  }

  #block(record: LogRecord): boolean {
    const batchId = String(record.batchId);
    const cause = JSON.stringify(record.reason);
    if (this.#blocked.get(cause)?.batches.has(batchId) === true) return false;
    // Of several causes the latest is what it waits for.
    this.#leave(batchId);
    const group = this.#blocked.get(cause) ?? { batches: new Set(), most: 0 };
    this.#blocked.set(cause, group);
    group.batches.add(batchId);
    group.most = Math.max(group.most, group.batches.size);
    return group.batches.size === 1;
  }

  /** The record to show when the last of those with one cause goes on; `batches` says how many there were. */
  #resume(record: LogRecord): LogRecord | undefined {
    const group = this.#leave(String(record.batchId));
    if (group === undefined) return record;
    if (group.batches.size > 0) return undefined;
    return group.most === 1 ? record : { ...record, batches: group.most };
  }

  /** A batch waits for one cause at most. Returns those that it was among. */
  #leave(batchId: string): Blocked | undefined {
    for (const [cause, group] of this.#blocked) {
      if (!group.batches.delete(batchId)) continue;
      if (group.batches.size === 0) this.#blocked.delete(cause);
      return group;
    }
    return undefined;
  }
}

function toSubject(record: LogRecord): string {
  const event = String(record.event);
  const dependency = event.startsWith('dependency-')
    ? String(record.dependency)
    : (event.split('-')[0] ?? '');
  return dependency === 'share' ? `share ${String(record.share)}` : dependency;
}
