// What the list and the head of a job say of it. Pure.
import { type Outcome, type Tally, tallyOutcomes } from '../../../activities/registers/words/outcome-words';
import { nameOf } from '../../../activities/share/files/relative-path';
import { expectEnd } from '../../../activities/share/status/gather-status';
import type { JobSummary } from '../contract/jobs';
import { texts } from '../texts/texts';
import { hasEnded, type SeenJob } from './seen-job';
import type { SeenRow } from './to-rows';

export function toSummary(job: SeenJob, rows: readonly SeenRow[], nowMs: number): JobSummary {
  const tally = tallyOutcomes(rows.map(({ outcome }) => outcome));
  const isOver = hasEnded(job);
  return {
    share: job.share,
    job: job.id,
    name: job.name,
    kind: job.kind,
    tally,
    documents: rows.length,
    droppedAt: job.droppedAt,
    by: job.by,
    register: registerOf(job),
    sizeBytes: sizeOf(job),
    endedAt: isOver ? endOf(job) : null,
    end: isOver ? { kind: 'over' } : tellEnd(job, tally, rows, nowMs),
    needs: tellNeeds(rows),
  };
}

function registerOf({ job, parts, register }: SeenJob): string | null {
  const ofJob = job?.record.register?.path ?? register;
  if (ofJob !== undefined) return nameOf(ofJob);
  const [first] = parts.flatMap(({ sealed }) => sealed?.manifest.registers ?? []);
  return first === undefined ? null : nameOf(first.path);
}

/** null until all of it is taken over. */
function sizeOf({ parts, inLine }: SeenJob): number | null {
  if (inLine.length > 0 || parts.length === 0) return null;
  let bytes = 0;
  for (const { sealed } of parts) {
    if (sealed === undefined) return null;
    for (const { sizeBytes } of sealed.manifest.files) bytes += sizeBytes;
  }
  return bytes;
}

/** When the last of its receipts was written. */
function endOf({ job, parts }: Pick<SeenJob, 'job' | 'parts'>): string | null {
  const times = [job?.closed?.closedAt, ...parts.map(({ endedAt }) => endedAt)];
  return (
    times
      .flatMap(time => time ?? [])
      .sort()
      .at(-1) ?? null
  );
}

function tellEnd(job: SeenJob, tally: Tally, rows: readonly SeenRow[], nowMs: number): JobSummary['end'] {
  if (job.waitsFor !== undefined) return { kind: 'when-whole' };
  if (rows.length === 0) return { kind: 'not-known' };
  const submitted = rows.map(({ outcome, since }) =>
    outcome === 'through' && since ? Date.parse(since) : 0,
  );
  const lastMs = submitted.reduce((one, other) => Math.max(one, other), 0);
  const end = expectEnd(tally, Date.parse(job.droppedAt), lastMs, nowMs);
  // More may still come, such as files that its register lists.
  const mayGrow = job.job !== undefined && job.job.closed === undefined;
  if (end.kind === 'when-whole') return { kind: end.kind };
  return end.kind === 'over' && mayGrow ? { kind: 'not-known' } : end;
}

/** By the most frequent reason of what is held; of what was set apart, where nothing is held. */
function tellNeeds(rows: readonly Pick<SeenRow, 'outcome' | 'code' | 'reason'>[]): JobSummary['needs'] {
  const of = (outcome: Outcome) => rows.filter(row => row.outcome === outcome);
  const [held, setApart] = [of('held'), of('set-apart')];
  const asked = held.length > 0 ? held : setApart;
  if (asked.length === 0) return null;
  const byCode = new Map<string, { count: number; why: string }>();
  for (const { code, reason } of asked) {
    const known = byCode.get(code ?? '') ?? { count: 0, why: reason ?? '' };
    known.count += 1;
    byCode.set(code ?? '', known);
  }
  const [first] = [...byCode.values()].sort((one, other) => other.count - one.count);
  return { held: held.length, setApart: setApart.length, why: first?.why ?? '', until: null };
}

/** Tells why a job has stopped, unless people are asked something: that they can answer meanwhile. */
export function withStop<Job extends Pick<JobSummary, 'needs'>>(job: Job, why: string | undefined): Job {
  if (why === undefined || (job.needs?.held ?? 0) > 0) return job;
  return {
    ...job,
    needs: { held: 0, setApart: 0, why: texts.jobs.stopped(why), until: null },
  };
}
