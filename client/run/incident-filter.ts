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
      default:
        return record;
    }
  }

  #block(record: LogRecord): boolean {
    const cause = JSON.stringify(record.reason);
    const group = this.#blocked.get(cause) ?? { batches: new Set(), most: 0 };
    this.#blocked.set(cause, group);
    group.batches.add(String(record.batchId));
    group.most = Math.max(group.most, group.batches.size);
    return group.batches.size === 1;
  }

  /** The record to show when the last of those with one cause goes on; `batches` says how many there were. */
  #resume(record: LogRecord): LogRecord | undefined {
    const batchId = String(record.batchId);
    for (const [cause, { batches, most }] of this.#blocked) {
      if (!batches.delete(batchId)) continue;
      if (batches.size > 0) return undefined;
      this.#blocked.delete(cause);
      return most === 1 ? record : { ...record, batches: most };
    }
    return record;
  }
}

function toSubject(record: LogRecord): string {
  const event = String(record.event);
  const dependency = event.startsWith('dependency-')
    ? String(record.dependency)
    : (event.split('-')[0] ?? '');
  return dependency === 'share' ? `share ${String(record.share)}` : dependency;
}
