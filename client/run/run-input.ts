// What starting everything is given, and what it leaves behind to be ended.
import type { Client } from '@temporalio/client';
import type { ShareConfig } from '../../activities/share/share-config';
import type { Config } from '../../workers/config/config';
import type { Logger } from '../../workers/logging';
import type { WorkMetrics } from '../../workers/metrics/work-metrics';
import type { Reporter } from '../../workers/temporal/terminal-reporter';
import type { Paint } from '../session/terminal-text';

export interface RunAllInput {
  readonly config: Config;
  /** Asks everything to end. */
  readonly ending: AbortSignal;
  readonly reporter: Reporter;
  readonly paint: Paint;
  readonly standIn: { readonly firstPort?: number | undefined; readonly speed: number };
  /** How commands are called here, for hints. */
  readonly command: string;
  readonly startPage: StartPage;
}

/** Serves the page, whose room is above this one. */
export type StartPage = (input: {
  readonly config: Config;
  readonly shares: readonly ShareConfig[];
  readonly temporal: () => Promise<Client>;
  readonly logger: Logger;
  readonly work: WorkMetrics;
}) => Promise<{ readonly address: string; close(): Promise<void> }>;

/** Started parts, ended in the opposite order. */
export type Stops = (readonly [name: string, stop: () => Promise<void>])[];

/**
 * Awaits parts that start at the same time. The first failure is thrown once all have come to an end:
 * whatever has started by then is in `Stops`.
 */
export async function allStarted<Parts extends readonly unknown[]>(
  starting: readonly [...{ [Part in keyof Parts]: Promise<Parts[Part]> }],
): Promise<Parts> {
  const ends = await Promise.allSettled(starting);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return ends.map(end => (end as PromiseFulfilledResult<unknown>).value) as unknown as Parts;
}
