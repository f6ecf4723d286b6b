// Whether other files get through where one does not: only that tells a file that is at fault from an outage.
// It outlives a call, since a file that is tried alone, or again later, has no others beside it. Nothing of
// it is kept on a disk: after a restart a file waits for others once more.

import { Away } from '../host/away';

export type TransferCall = 'open' | 'put' | 'report' | 'look';

export interface Place {
  readonly call: TransferCall;
  /** The file's path. */
  readonly file: string;
  /** Of a PUT: which segment. */
  readonly part?: number;
}

interface Pass {
  readonly file: string;
  readonly begunMs: number;
}

interface Failure {
  strikes: number;
  /** When the last of these requests began. */
  lastMs: number;
}

/** Files whose failures are kept; of those that somebody called off nobody tells their end. */
const MOST_FILES = 10_000;

/** What the files of one project, in one process, have met. All times are monotonic. */
export class Evidence {
  readonly away = new Away<TransferCall>();
  readonly #failures = new Map<string, Map<string, Failure>>();
  /** By call, the two passes that began last, of different files. */
  readonly #passes = new Map<TransferCall, readonly Pass[]>();

  /**
   * @param begunMs when the request began: one that was let in before an outage can end well in the middle
   * of it.
   */
  passed(at: Place, begunMs: number): void {
    this.away.passed(at.call, begunMs);
    const others = (this.#passes.get(at.call) ?? []).filter(({ file }) => file !== at.file);
    const own = (this.#passes.get(at.call) ?? []).filter(({ file }) => file === at.file);
    const latestMs = Math.max(begunMs, ...own.map(pass => pass.begunMs));
    const latest = [...others, { file: at.file, begunMs: latestMs }]
      .sort((one, other) => other.begunMs - one.begunMs)
      .slice(0, 2);
    this.#passes.set(at.call, latest);
    const failures = this.#failures.get(at.file);
    failures?.delete(nameOf(at));
    if (failures?.size === 0) this.#failures.delete(at.file);
  }

  /**
   * A strike is a failure before which another file got through since the strike before. An outage begins
   * raggedly, and what it lets through then says nothing of all that fails until it ends.
   */
  failed(at: Place, begunMs: number): void {
    const failures = this.#failures.get(at.file) ?? new Map<string, Failure>();
    const failure = failures.get(nameOf(at)) ?? { strikes: 0, lastMs: begunMs };
    if (failure.strikes === 0 || this.#haveOthersBegunAfter(failure.lastMs, at)) failure.strikes += 1;
    failure.lastMs = Math.max(failure.lastMs, begunMs);
    this.#failures.set(at.file, failures.set(nameOf(at), failure));
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MOST_FILES && oldest !== undefined) this.#failures.delete(oldest);
  }

  /** Whether requests of others that began after its last failure there have got through. */
  haveOthersPassed(at: Place): boolean {
    const failure = this.#failures.get(at.file)?.get(nameOf(at));
    return failure !== undefined && this.#haveOthersBegunAfter(failure.lastMs, at);
  }

  /** How often it has failed there, with another that got through between each time and the next. */
  strikes(at: Place): number {
    return this.#failures.get(at.file)?.get(nameOf(at))?.strikes ?? 0;
  }

  hasFailed(file: string): boolean {
    return this.#failures.has(file);
  }

  /** It has an outcome. */
  forget(file: string): void {
    this.#failures.delete(file);
  }

  #haveOthersBegunAfter(sinceMs: number, at: Place): boolean {
    const passes = this.#passes.get(at.call) ?? [];
    return passes.some(({ file, begunMs }) => file !== at.file && begunMs > sinceMs);
  }
}

function nameOf({ call, part }: Place): string {
  return part === undefined ? call : `${call} ${part}`;
}

/** That of each project: others have other storages. */
export class ProjectEvidence {
  readonly #byProject = new Map<string, Evidence>();

  of(projectId: string): Evidence {
    const evidence = this.#byProject.get(projectId) ?? new Evidence();
    this.#byProject.set(projectId, evidence);
    return evidence;
  }
}
