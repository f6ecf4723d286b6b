// A row of the list: an open job in two lines with its tally, a finished one in one line of words.
import type { JSX } from 'preact';
import type { JobSummary } from '../../../contract/jobs';
import { Icon } from '../../parts/icons';
import { Name, plain, Told } from '../../parts/name';
import { isStopped, TallyBar, TallyNumbers } from '../../parts/tally';
import { withQuery } from '../../shell/address';
import {
  roundEstimate,
  tellClock,
  tellDate,
  tellDuration,
  tellMoment,
  tellNumber,
  tellTime,
} from '../../shell/format';
import { may } from '../../shell/me';
import { now, reader } from '../../shell/reader';
import { href } from '../../shell/router';
import { texts } from '../../shell/texts';

interface JobProps {
  readonly job: JobSummary;
}

function jobPlace({ share, job }: Pick<JobSummary, 'share' | 'job'>): string {
  return `/jobs/${encodeURIComponent(share)}/${encodeURIComponent(job)}`;
}

export function answerPlace({ share, job }: Pick<JobSummary, 'share' | 'job'>): string {
  return withQuery('/waiting', { job: `${share}/${job}` });
}

function tell(count: number): string {
  return tellNumber(count, reader());
}

export function OpenRow({ job }: JobProps): JSX.Element {
  return (
    <tr class="open" data-share={job.share} data-job={job.job}>
      <td class="job-cell">
        <a class="job-link" href={href(jobPlace(job))}>
          <Name text={job.name} isCut />
        </a>
        <p class="cut">{aboutJob(job)}</p>
      </td>
      <td class="tally-cell">
        <TallyBar tally={job.tally} />
        <TallyNumbers tally={job.tally} />
      </td>
      <td class="needs-cell">
        <Needs job={job} />
      </td>
      <td class="end-cell">
        <End job={job} />
        <Icon name="chevron-right" />
      </td>
    </tr>
  );
}

export function FinishedRow({ job }: JobProps): JSX.Element {
  const words = texts.jobs;
  // Documents that were taken up again are not counted.
  const setApart = job.needs?.setApart ?? 0;
  return (
    <tr class="finished" data-share={job.share} data-job={job.job}>
      <td class="job-cell">
        <a class="job-link" href={href(jobPlace(job))}>
          <Name text={job.name} isCut />
        </a>
      </td>
      <td class="tally-cell">
        <TallyNumbers tally={job.tally} />
      </td>
      <td class="needs-cell">
        {setApart === 0 ? null : (
          <a class="act" href={href(withQuery('/apart', { share: job.share, job: job.job }))}>
            {words.seeApart(tell(setApart))}
          </a>
        )}
      </td>
      <td class="end-cell">
        <p class="cut">
          {job.endedAt === null ? null : <span class="nums when">{tellClock(job.endedAt, reader())}</span>}
          {job.by === null ? null : (
            <span class="third">
              {' · '}
              <bdi>{job.by}</bdi>
            </span>
          )}
        </p>
        <Icon name="chevron-right" />
      </td>
    </tr>
  );
}

function aboutJob({ kind, documents, droppedAt, by }: JobSummary): JSX.Element {
  const words = texts.jobs;
  return (
    <>
      {words.kinds[kind](tell(documents), documents === 1)} ·{' '}
      <span class="nums">{words.dropped(tellTime(droppedAt, now.value, reader()))}</span>
      {by === null ? null : (
        <>
          {' '}
          <bdi>{words.by_(by)}</bdi>
        </>
      )}
    </>
  );
}

function Needs({ job }: JobProps): JSX.Element | null {
  const words = texts.jobs;
  if (job.needs === null) return null;
  const { held, setApart, why } = job.needs;
  return (
    <>
      <p class="why" title={plain(why)}>
        <Told text={why} />
      </p>
      {held > 0 && may('answer', job.share) ? (
        <a class="act answer" href={href(answerPlace(job))}>
          {words.answer(tell(held))}
        </a>
      ) : held === 0 && setApart > 0 ? (
        <a class="act" href={href(withQuery('/apart', { share: job.share, job: job.job }))}>
          {words.seeApart(tell(setApart))}
        </a>
      ) : isStopped(job) && may('operate', job.share) ? (
        <a class="act" href={href('/operations')}>
          {words.goOn}
        </a>
      ) : null}
    </>
  );
}

function End({ job: { end, needs } }: JobProps): JSX.Element {
  const words = texts.jobs;
  if (end.kind === 'about') {
    const at = roundEstimate(end.at, now.value);
    const ahead = at.getTime() - now.value.getTime();
    return (
      <p>
        <strong>{words.about(tellMoment(at, now.value, reader()))}</strong>
        <small class="third">{ahead < 60_000 ? words.anyMoment : words.in(tellDuration(ahead))}</small>
      </p>
    );
  }
  if (end.kind === 'when-answered')
    return (
      <p>
        <strong>{words.whenAnswered}</strong>
        {needs?.until == null ? null : (
          <small class="third">{words.heldUntil(tellDate(needs.until, reader(), { withYear: false }))}</small>
        )}
      </p>
    );
  return <p class="third">{end.kind === 'over' ? words.over : words.notKnown}</p>;
}
