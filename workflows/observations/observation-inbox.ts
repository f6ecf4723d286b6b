// What people say to a running observation, in the order it came; the same request twice counts once.
import { patched, setHandler } from '@temporalio/workflow';
import type { z } from 'zod';
import type { RunProgress } from '../run/run-progress';
import {
  respondInput,
  respondSignal,
  reviewedInput,
  reviewedSignal,
  workDoneInput,
  workDoneSignal,
} from './observation-contract';

interface Said {
  readonly comment?: string | undefined;
  readonly attachments?: readonly string[] | undefined;
}

export type Message = Said &
  (
    | { readonly kind: 'done' }
    | { readonly kind: 'respond' }
    | { readonly kind: 'reviewed'; readonly accepted: boolean }
  );

const MOST_WAITING = 100;

export class ObservationInbox {
  readonly #messages: Message[] = [];
  readonly #seen = new Set<string>();
  readonly #progress: RunProgress;
  readonly #hasShare: boolean;

  /** Hears `workDone`, `respond` and `reviewed` from now on. `hasShare`: files can be sent. */
  constructor(progress: RunProgress, hasShare: boolean) {
    this.#progress = progress;
    this.#hasShare = hasShare;
    // Signals that came before the first task are handed out name by name, in the order of these handlers and
    // not as they came: responses go first.
    setHandler(
      respondSignal,
      raw => this.#take('respond', respondInput, raw, said => ({ kind: 'respond', ...said })),
      { description: 'A response for the log: {"comment": "..."}.' },
    );
    setHandler(
      workDoneSignal,
      raw => this.#take('workDone', workDoneInput, raw ?? {}, said => ({ kind: 'done', ...said })),
      { description: 'The work is done: {} or {"comment": "..."}.' },
    );
    setHandler(
      reviewedSignal,
      raw => this.#take('reviewed', reviewedInput, raw, said => ({ kind: 'reviewed', ...said })),
      {
        description:
          'The outcome of the review: {"accepted": true} or {"accepted": false, "comment": "..."}.',
      },
    );
  }

  get hasMessages(): boolean {
    return this.#messages.length > 0;
  }

  next(): Message | undefined {
    return this.#messages.shift();
  }

  /** Takes the responses that wait, and leaves the rest: nobody's words get lost when the item is closed. */
  takeResponses(): readonly Message[] {
    const responses = this.#messages.filter(({ kind }) => kind === 'respond');
    const rest = this.#messages.filter(({ kind }) => kind !== 'respond');
    this.#messages.splice(0, this.#messages.length, ...rest);
    return responses;
  }

  /** A signal cannot be refused, so what cannot be used is noted where its sender can see it. */
  #take<Schema extends z.ZodType<Said & { readonly requestId?: string | undefined }>>(
    name: string,
    schema: Schema,
    raw: unknown,
    toMessage: (said: z.output<Schema>) => Message,
  ): void {
    const parsed = schema.safeParse(raw);
    if (!parsed.success) {
      const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`);
      this.#progress.note(`A signal "${name}" could not be used: ${faults.join('; ')}`);
      return;
    }
    const { requestId } = parsed.data;
    if (requestId !== undefined && this.#seen.has(requestId)) return;
    const fault = this.#faultOfFiles(parsed.data);
    if (fault !== undefined && patched('files-that-cannot-be-sent-are-refused')) {
      this.#progress.note(`A signal "${name}" could not be used: attachments: ${fault}`);
      return;
    }
    if (this.#messages.length >= MOST_WAITING) {
      this.#progress.note(`A signal "${name}" was left out: too many wait already.`);
      // Who says it again, as the note asks for, must be heard then.
      const isForgotten = requestId === undefined || patched('what-was-left-out-may-be-said-again');
      if (!isForgotten) this.#seen.add(requestId);
      return;
    }
    if (requestId !== undefined) this.#seen.add(requestId);
    this.#messages.push(toMessage(parsed.data));
  }

  /** Why these files cannot be sent, or undefined. */
  #faultOfFiles({ comment, attachments = [] }: Said): string | undefined {
    if (attachments.length === 0) return undefined;
    if (!this.#hasShare) return 'this run was started without a "share", so no files can be sent';
    return comment === undefined ? 'files go with a response, so give a "comment" as well' : undefined;
  }
}
