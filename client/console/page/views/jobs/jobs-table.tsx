// One table: open jobs with their tally, then finished ones by day.
import type { JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { JobSummary } from '../../../contract/jobs';
import { dayOf, tellLongDay, tellNumber } from '../../shell/format';
import { useKeys } from '../../shell/keys';
import { now, reader } from '../../shell/reader';
import { navigate } from '../../shell/router';
import { texts } from '../../shell/texts';
import { answerPlace, FinishedRow, OpenRow } from './job-row';
import { holdOrder, keyOf, type Placed } from './order';

interface JobsTableProps {
  readonly open: readonly JobSummary[];
  readonly finished: readonly JobSummary[];
}

export function JobsTable({ open, finished }: JobsTableProps): JSX.Element {
  const words = texts.jobs;
  const [order, setOrder] = useState<readonly Placed[]>(open);
  const { shown, fresh } = holdOrder(open, order);
  const table = useRef<HTMLTableElement>(null);
  useRowKeys(table);
  const days = useMemo(() => byDay(finished), [finished]);
  return (
    <>
      {fresh === 0 ? null : (
        <button type="button" class="button fresh" onClick={() => setOrder(open)}>
          {words.newOnes(tellNumber(fresh, reader()))}
        </button>
      )}
      <div class="panel-box jobs-box">
        <table class="jobs-table" ref={table}>
          <caption class="unseen">{words.table}</caption>
          <thead>
            <tr>
              <th scope="col">{words.columns.job}</th>
              <th scope="col">{words.columns.documents}</th>
              <th scope="col">{words.columns.needs}</th>
              <th scope="col">{words.columns.ends}</th>
            </tr>
          </thead>
          {shown.length === 0 ? null : (
            <tbody>
              {shown.map(job => (
                <OpenRow key={keyOf(job)} job={job} />
              ))}
            </tbody>
          )}
          {days.map(([day, jobs]) => (
            <tbody key={day}>
              <DayRow jobs={jobs} />
              {jobs.map(job => (
                <FinishedRow key={keyOf(job)} job={job} />
              ))}
            </tbody>
          ))}
        </table>
      </div>
    </>
  );
}

function DayRow({ jobs }: { readonly jobs: readonly JobSummary[] }): JSX.Element {
  const words = texts.jobs;
  const tell = (count: number) => tellNumber(count, reader());
  const at = jobs[0]?.endedAt ?? jobs[0]?.droppedAt ?? now.value;
  const day = tellLongDay(at, now.value, reader());
  const isToday = dayOf(at, reader()) === dayOf(now.value, reader());
  const documents = jobs.reduce((sum, job) => sum + job.documents, 0);
  return (
    <tr class="day">
      <th scope="rowgroup" colSpan={4}>
        <strong>{isToday ? words.today(day) : day}</strong>{' '}
        <span>{words.ofDay(tell(jobs.length), jobs.length === 1, tell(documents), documents === 1)}</span>
      </th>
    </tr>
  );
}

/** In the order given: the newest day first. */
function byDay(finished: readonly JobSummary[]): readonly (readonly [string, readonly JobSummary[]])[] {
  const days = new Map<string, JobSummary[]>();
  for (const job of finished) {
    const day = dayOf(job.endedAt ?? job.droppedAt, reader());
    const known = days.get(day);
    if (known === undefined) days.set(day, [job]);
    else known.push(job);
  }
  return [...days];
}

/** Arrows walk through the jobs; `A` answers the one with the focus, else the first that can be answered. */
function useRowKeys(table: { readonly current: HTMLTableElement | null }): void {
  const walk = (step: number) => {
    const links = [...(table.current?.querySelectorAll<HTMLElement>('a.job-link') ?? [])];
    const row = document.activeElement?.closest('tr');
    const at = links.findIndex(link => link.closest('tr') === row);
    links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
  };
  useKeys({
    ArrowDown: () => walk(1),
    ArrowUp: () => walk(-1),
    A: () => {
      const row = document.activeElement?.closest('tr') ?? table.current?.querySelector('tr:has(a.answer)');
      const { share, job } = row instanceof HTMLElement ? row.dataset : {};
      if (share !== undefined && job !== undefined && row?.querySelector('a.answer'))
        navigate(answerPlace({ share, job }));
    },
  });
}
