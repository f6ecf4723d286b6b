/**
 * The account of what happened: every request, every effect, and everything a
 * correct client would not have done.
 */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

export type Violation =
  | 'bearer-at-storage'
  | 'foreign-header-at-storage'
  | 'too-many-items'
  | 'same-item-twice'
  | 'update-all-uploads'
  | 'refresh-token-reused'
  | 'code-reused'
  | 'redirect-followed'
  | 'request-while-limited'
  | 'retry-after-undercut'
  | 'deprecated-path'
  | 'unknown-route'
  | 'missing-company-header'
  | 'linked-before-available'
  | 'completed-upload-relinked'
  | 'second-live-upload'
  | 'same-document-submitted-twice'
  | 'incomplete-upload-submitted'
  | 'workflow-field-written'
  | 'page-too-large'
  | 'empty-update'
  | 'event-id-never-given'
  | 'termination-unasked'
  | 'origin-id-reused';

/** What a careful client has no reason for, though faults and neighbours can lead to it. */
export type Remark =
  | 'stale-event-id'
  | 'page-past-the-end'
  | 'polled-too-soon'
  | 'polled-too-long'
  | 'version-changed-under-triggers';

/** One line of the log. Ids and file names only: no token, no secret, no presigned address. */
export interface Operation {
  seq: number;
  /** Unix milliseconds. */
  at: number;
  kind: 'request' | 'effect' | 'violation' | 'remark' | 'outage';
  /** Route key, or `analysis`, `scan`, `person`, `control`. */
  route: string;
  /** Number of the request this belongs to; 0 when none does. */
  request: number;
  /** Status answered; null when no whole answer went out. Requests only. */
  status?: number | null;
  /** Fault that shaped the answer. */
  fault?: string;
  /** Name of the effect or violation. */
  what?: string;
  /** Ids, file names, counts; of a request, the uploads it is about. */
  detail?: Record<string, unknown>;
}

/** Kept in memory; older entries remain in the file only. */
const KEPT_OPERATIONS = 200_000;

export class OperationLog {
  private operations: Operation[] = [];
  private violationsSeen: Operation[] = [];
  private counts = new Map<string, Map<string, number>>();
  private lastSeq = 0;
  private lastRequest = 0;
  private descriptor: number | null = null;
  private readonly path: string | null;

  constructor(path: string | null) {
    this.path = path;
    if (path === null) return;
    mkdirSync(dirname(path), { recursive: true });
    if (existsSync(path)) this.replay(readFileSync(path, 'utf8'));
    this.descriptor = openSync(path, 'a', 0o600);
  }

  /** A number for the next request. */
  nextRequest(): number {
    this.lastRequest += 1;
    return this.lastRequest;
  }

  record(entry: Omit<Operation, 'seq' | 'at'>): void {
    const operation: Operation = { seq: this.lastSeq + 1, at: Date.now(), ...entry };
    this.keep(operation);
    if (this.descriptor !== null) writeSync(this.descriptor, `${JSON.stringify(operation)}\n`);
  }

  violation(
    violation: Violation,
    route: string,
    request: number,
    detail: Record<string, unknown> = {},
  ): void {
    this.record({ kind: 'violation', route, request, what: violation, detail });
  }

  remark(remark: Remark, route: string, request: number, detail: Record<string, unknown> = {}): void {
    this.record({ kind: 'remark', route, request, what: remark, detail });
  }

  /** Operations after `seq`, oldest first, at most `limit`. */
  since(seq: number, limit = 10_000): Operation[] {
    const first = this.operations[0]?.seq ?? 1;
    const from = Math.max(0, seq + 1 - first);
    return this.operations.slice(from, from + limit);
  }

  violations(): Operation[] {
    return this.violationsSeen;
  }

  /** Requests by route key and by status ('none' when no whole answer went out). */
  requestCounts(): Record<string, Record<string, number>> {
    return Object.fromEntries(
      [...this.counts].map(([route, byStatus]) => [route, Object.fromEntries(byStatus)]),
    );
  }

  clear(): void {
    this.operations = [];
    this.violationsSeen = [];
    this.counts = new Map();
    if (this.path === null || this.descriptor === null) return;
    closeSync(this.descriptor);
    this.descriptor = openSync(this.path, 'w', 0o600);
  }

  close(): void {
    if (this.descriptor !== null) closeSync(this.descriptor);
    this.descriptor = null;
  }

  private keep(operation: Operation): void {
    this.lastSeq = operation.seq;
    this.lastRequest = Math.max(this.lastRequest, operation.request);
    this.operations.push(operation);
    // Cut rarely, so that the cost of cutting is spread.
    if (this.operations.length > KEPT_OPERATIONS * 1.1)
      this.operations = this.operations.slice(-KEPT_OPERATIONS);
    if (operation.kind === 'violation') this.violationsSeen.push(operation);
    if (operation.kind !== 'request') return;
    const byStatus = this.counts.get(operation.route) ?? new Map<string, number>();
    const status = String(operation.status ?? 'none');
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    this.counts.set(operation.route, byStatus);
  }

  private replay(text: string): void {
    for (const line of text.split('\n')) {
      if (line === '') continue;
      try {
        this.keep(JSON.parse(line) as Operation);
      } catch {
        // A torn line: the process was killed while writing it, so its request was never answered.
      }
    }
  }
}
