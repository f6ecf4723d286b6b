// What the status file of a job tells, as plain data: whoever knows the job fills it in.
import type { Tally } from '../words/outcome-words';

export interface StatusFacts {
  /** Absent while it is no job yet. */
  readonly jobId?: string;
  /** The folder that was dropped. May hold anything that a name may hold. */
  readonly jobName: string;
  readonly share: string;
  /** Of all files of the job. */
  readonly tally: Tally;
  /** Batches of it that cannot be read: nobody knows their files. Absent for none. */
  readonly unread?: number;
  /** ISO, UTC: when the job was dropped, and what moment this tells of. */
  readonly droppedAt: string;
  readonly writtenAt: string;
  /** Of all times in the file: `Europe/Berlin`. */
  readonly zone: string;
  /** The name of the register that it came with. */
  readonly register?: string;
  /** Files or rows that wait for a person, did not go through, were answered, or are in line. */
  readonly cases: readonly StatusCase[];
  /** What nobody need do anything about, and people may look for. */
  readonly notes: readonly StatusNote[];
  /** What its documents wait for, as of the last attempt; absent for nothing. */
  readonly outages?: readonly StatusOutage[];
  readonly end: ExpectedEnd;
}

export interface StatusOutage {
  readonly what: 'authentication' | 'api' | 'storage';
  /** ISO. */
  readonly since: string;
}

export interface StatusNote {
  readonly kind: 'not-there' | 'did-not-come' | 'left';
  /** Of files, as the register or the folder has them. */
  readonly names: readonly string[];
  /** How many there are, where only the first have their names kept. */
  readonly inAll?: number | undefined;
}

export interface StatusCase {
  /** `on-the-way`: it was held and somebody has answered, or it waits for an earlier revision. */
  readonly outcome: 'held' | 'set-apart' | 'on-the-way';
  /** Below the job's folder. */
  readonly file: string;
  /** As people count the register's rows, the sheet's first is 1. */
  readonly row?: number;
  /** ISO: when it was first seen to wait for this. */
  readonly since?: string;
  readonly reason: string;
  readonly whatToDo: string;
}

export type ExpectedEnd =
  /** Too early to say. */
  | { readonly kind: 'not-known' }
  | { readonly kind: 'about'; readonly at: string }
  /** Whatever becomes of the others, it waits for those that are held. */
  | { readonly kind: 'when-answered' }
  /** Its files have not all come: it goes when they have, and at that time without them. */
  | { readonly kind: 'when-whole'; readonly at: string }
  /** The receipt is being written. */
  | { readonly kind: 'over' };
