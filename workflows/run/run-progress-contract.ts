// What every workflow that is not a batch answers when it is asked how far it is.

import type { Reason } from '../contract';
import { defineQuery } from '../contract';

export interface RunProgressReport {
  /** What it is doing, or how it ended. */
  readonly step: string;
  readonly notes: readonly string[];
  /** The share whose files it needs, if it needs any. */
  readonly share?: string;
  /** Why it stands still, if it does. */
  readonly blocked?: { readonly reason: Reason; readonly sinceMs: number };
}

export const runProgressQuery = defineQuery<RunProgressReport>('progress');
