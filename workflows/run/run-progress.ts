// What a workflow tells while it runs: its live details, its query `progress`, and what its blocked calls
// wait for.
import { log, setCurrentDetails, setHandler } from '@temporalio/workflow';
import { type Reason, resumeSignal } from '../contract';
import type { Blockable } from './activity-calls';
import { describeRunProgress } from './decide/describe-run-progress';
import { type RunProgressReport, runProgressQuery } from './run-progress-contract';

const MOST_REQUESTS = 1_000;

export class RunProgress implements Blockable {
  /** Counts the signals `resume`; whoever waits watches it. */
  resumes = 0;
  readonly #title: string;
  readonly #share: string | undefined;
  readonly #seen = new Set<string>();
  #doing = 'Beginning';
  #notes: string[] = [];
  #blocked: { readonly reason: Reason; readonly sinceMs: number } | undefined;
  /** Why it stands still by itself, whatever holds up its calls besides. */
  #standing: { readonly reason: Reason; readonly sinceMs: number } | undefined;

  /** `share`: whose files it needs. Answers `progress` and hears `resume` from now on. */
  constructor(title: string, share?: string) {
    this.#title = title;
    this.#share = share;
    setHandler(runProgressQuery, () => this.report, {
      description: 'How far it is, and what it waits for.',
    });
    setHandler(
      resumeSignal,
      request => {
        const id = request?.requestId;
        if (id !== undefined && this.#seen.has(id)) return;
        if (id !== undefined && this.#seen.size < MOST_REQUESTS) this.#seen.add(id);
        this.resumes++;
      },
      { description: 'Goes on at once with what is blocked.' },
    );
    this.#show();
  }

  get report(): RunProgressReport {
    return {
      step: this.#doing,
      notes: this.#notes,
      ...(this.#share === undefined ? {} : { share: this.#share }),
      ...(this.#blocked === undefined ? {} : { blocked: this.#blocked }),
    };
  }

  get notes(): readonly string[] {
    return this.#notes;
  }

  tell(doing: string): void {
    this.#doing = doing;
    this.#show();
  }

  note(text: string): void {
    this.#notes = [...this.#notes, text];
    this.#show();
  }

  block(reason: Reason, sinceMs: number): void {
    if (this.#blocked?.reason.text !== reason.text) {
      log.warn(`${this.#doing}: ${reason.text}`, { event: 'run-blocked', reason });
    }
    this.#blocked = { reason, sinceMs: this.#blocked?.sinceMs ?? sinceMs };
    this.#show();
  }

  unblock(): void {
    if (this.#blocked === this.#standing) return;
    this.#blocked = this.#standing;
    this.#show();
  }

  /** For a reason of the run's own, until `goOn`: shown unless a call of it is blocked. */
  standStill(reason: Reason, sinceMs: number): void {
    this.block(reason, sinceMs);
    this.#standing = this.#blocked;
  }

  goOn(): void {
    this.#standing = undefined;
    this.unblock();
  }

  triesAgain(): void {
    if (this.#standing !== undefined) this.unblock();
  }

  #show(): void {
    setCurrentDetails(
      describeRunProgress({
        title: this.#title,
        step: this.#doing,
        notes: this.#notes,
        blocked: this.#blocked,
      }),
    );
  }
}
