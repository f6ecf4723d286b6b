// A folder that waits for files which its register lists: it is no job yet, and people look for it all the
// same.

import type { StatusFacts } from '../../registers/status/status-facts';
import { tallyOutcomes } from '../../registers/words/outcome-words';
import { nameOf } from '../files/relative-path';
import { jobIdOf } from '../jobs/job-record';
import type { PageOwner } from './status-pages';

export interface WaitingFolder {
  /** A top folder of the drop. */
  readonly top: string;
  /** How many files it has besides its register. */
  readonly files: number;
  /** Below the drop folder. */
  readonly register: string;
  /** What people are told of the files that it waits for. */
  readonly missing: readonly string[];
  /** ISO: when it was first seen with its register, and when it goes at the latest. */
  readonly since: string;
  readonly until: string;
}

/** An owner that cannot be a job: the id of a job is made of its place, which has no line feed. */
export function ownerOf({ top }: Pick<WaitingFolder, 'top'>): PageOwner {
  return { place: top, jobId: jobIdOf(`waiting\n${top}`) };
}

export function toWaitingFacts(
  { top, files, register, missing, since, until }: WaitingFolder,
  { share, now, zone }: { readonly share: string; readonly now: Date; readonly zone: string },
): StatusFacts {
  return {
    jobName: top,
    share,
    tally: { ...tallyOutcomes([]), 'in-line': files },
    droppedAt: since,
    writtenAt: now.toISOString(),
    zone,
    register: nameOf(register),
    cases: [],
    notes: [{ kind: 'not-there', names: missing }],
    end: { kind: 'when-whole', at: until },
  };
}
