// Follows a stand-in's log while a case runs: counts by route, and how far each file has come.
import type { Operation, SandboxControl } from '../sandbox/control';
import type { Moment } from './fault-plan';

export class LogFollower {
  readonly #control: SandboxControl;
  readonly #requests = new Map<string, number>();
  readonly #completed = new Set<string>();
  readonly #submitted = new Set<string>();
  #seq = 0;

  constructor(control: SandboxControl) {
    this.#control = control;
  }

  /** Reads what is new. */
  async follow(): Promise<void> {
    const operations = await this.#control.operations(this.#seq);
    for (const operation of operations) this.#take(operation);
    this.#seq = operations.at(-1)?.seq ?? this.#seq;
  }

  get revisions(): number {
    return this.#submitted.size;
  }

  get submittedUploads(): ReadonlySet<string> {
    return this.#submitted;
  }

  requests(route: string): number {
    return this.#requests.get(route) ?? 0;
  }

  /** Whether a moment of the log has come; what the share shows is asked elsewhere. */
  hasCome(moment: Exclude<Moment, { claimed: string }>): boolean {
    if ('completed' in moment) return this.#completed.has(moment.completed);
    return this.requests(moment.route) >= moment.count;
  }

  #take({ kind, route, what, detail }: Operation): void {
    if (kind === 'request') this.#requests.set(route, this.requests(route) + 1);
    if (what === 'upload-completed') this.#completed.add(String(detail?.fileName));
    if (what === 'revision-created') this.#submitted.add(String(detail?.uploadId));
  }
}
