// What the watcher knows of its share's condition, said once for each change: away (nothing can be done), or
// refusing (it can be read, but takes no changes: full, read-only, no rights).

import { describeBug } from '../../activities/host/describe-bug';
import { troubleCodeOf } from '../../activities/host/error-code';
import { isGone } from '../../activities/host/file-trouble';
import { IncidentLog } from '../../activities/host/incident-log';
import { bugOf, type TellEvent } from './watch-events';

const FIRST_REFUSAL_MS = 2_000;
const MAX_REFUSAL_MS = 60_000;
const AWAY = 'away';
const REFUSES = 'refuses';

export class ShareHealth {
  readonly #tell: TellEvent;
  readonly #nowMs: () => number;
  readonly #incidents = new IncidentLog();
  #refusal: { readonly untilMs: number; readonly waitMs: number } | undefined;

  constructor(tell: TellEvent, nowMs: () => number) {
    this.#tell = tell;
    this.#nowMs = nowMs;
  }

  get isAway(): boolean {
    return this.#incidents.isOpen(AWAY);
  }

  /** While the share refuses, a claim is tried now and then: that is how its recovery is found out. */
  mayClaim(): boolean {
    return !this.isAway && (this.#refusal === undefined || this.#nowMs() >= this.#refusal.untilMs);
  }

  away(why: string): void {
    if (this.#incidents.begins(AWAY)) this.#tell({ event: 'share-away', why });
  }

  back(): void {
    if (this.#incidents.ends(AWAY)) this.#tell({ event: 'share-back' });
  }

  /** A change to the share succeeded. */
  worked(): void {
    this.#refusal = undefined;
    if (this.#incidents.ends(REFUSES)) this.#tell({ event: 'share-accepts' });
  }

  /** Said again while it is waited, it does not put off the next try: else nothing would ever be tried. */
  refuses(why: string, error?: unknown): void {
    if (this.#incidents.begins(REFUSES, why)) this.#tell({ event: 'share-refuses', why, ...bugOf(error) });
    const nowMs = this.#nowMs();
    const last = this.#refusal;
    if (last !== undefined && nowMs < last.untilMs) return;
    const waitMs = last === undefined ? FIRST_REFUSAL_MS : Math.min(MAX_REFUSAL_MS, last.waitMs * 2);
    this.#refusal = { waitMs, untilMs: nowMs + waitMs };
  }

  /** Sorts an error of the share; one that is neither kind counts as a refusal, so that nothing spins. */
  failed(error: unknown): void {
    const code = troubleCodeOf(error) ?? describeBug(error);
    if (isGone(error)) this.away('Its folders are not there.');
    else if (code === 'share-away') this.away(messageOf(error));
    else this.refuses(code === 'share-full' || code === 'share-read-only' ? messageOf(error) : code, error);
  }
}

/** Only our own messages are passed on: others may hold anything. */
function messageOf(error: unknown): string {
  const { name, message } = error as { name?: string; message?: string };
  return name === 'ShareError' && message !== undefined ? message : 'It does not answer.';
}
