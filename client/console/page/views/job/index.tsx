// A job: its sum, its documents in the register's order, and one of them with its whole way.
import './job.css';
import './panel.css';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { tellSum } from '../../../../../activities/registers/words/outcome-words';
import { Empty, Failed, Loading } from '../../parts/states';
import { fillPath, type Params } from '../../shell/address';
import { announce } from '../../shell/announce';
import { useAsked } from '../../shell/asked';
import { preferences } from '../../shell/preferences';
import { href, navigate } from '../../shell/router';
import { texts } from '../../shell/texts';
import { useTitle } from '../../shell/title';
import type { View } from '../../shell/view';
import { askedColumns } from './asked-columns';
import { Documents } from './documents';
import { JobHeader } from './job-header';
import { titleOf } from './verdict';

export const jobView: View = {
  paths: ['/jobs/:share/:job', '/jobs/:share/:job/:row'],
  place: 'jobs',
  // The key keeps anything of the job before from being shown while the next one is asked for.
  Show: ({ params }) => <ShowJob key={`${params.share}/${params.job}`} params={params} />,
};

function ShowJob({ params }: { readonly params: Params }): JSX.Element {
  const { share = '', job = '', row } = params;
  const question = { params: { share, job } };
  const topics = [`job:${share}/${job}`] as const;
  // What of a finished job needs a person changes with what still lies set apart.
  const head = useAsked('GET /api/jobs/:share/:job', question, { topics: [...topics, 'apart'] });
  const [own, setOwn] = useState<string | undefined>();
  const columns = askedColumns(preferences.value.ownColumns, own?.split('\n')).join('\n');
  const rows = useAsked(
    'GET /api/jobs/:share/:job/rows',
    { ...question, query: { columns } },
    { topics, keepsBefore: true },
  );
  const { data } = head;
  const known = rows.data?.columns.join('\n');
  useEffect(() => setOwn(known), [known]);
  useTitle(data === undefined ? texts.jobs.title : titleOf(data));
  const told = data === undefined ? '' : texts.job.announce(data.name, tellSum(data.tally));
  useEffect(() => {
    if (told !== '') announce(told);
  }, [told]);
  // A folder that lay in the drop folder gets another id once it is taken over.
  const now = data?.job ?? job;
  useEffect(() => {
    if (now !== job) navigate(fillPath('/jobs/:share/:job', { share, job: now }), { replace: true });
  }, [now, job, share]);
  if (head.problem?.status === 404) return <Gone />;
  return (
    <div class={`view job ${row === undefined ? '' : 'has-panel'}`}>
      {data === undefined ? (
        <h1 tabIndex={-1}>
          <bdi>{job}</bdi>
        </h1>
      ) : (
        <JobHeader head={data} />
      )}
      {head.problem !== undefined && head.problem.status !== 0 && data === undefined ? (
        <Failed problem={head.problem} again={head.again} />
      ) : null}
      {rows.data === undefined || data === undefined ? (
        <>
          {rows.isSlow && rows.problem === undefined ? (
            <div class="panel-box">
              <Loading />
            </div>
          ) : null}
          {data !== undefined && rows.problem !== undefined && rows.problem.status !== 0 ? (
            <Failed problem={rows.problem} again={rows.again} />
          ) : null}
        </>
      ) : (
        <Documents
          head={data}
          rows={rows.data.rows}
          own={rows.data.columns}
          wanted={rows.data.wanted}
          opened={row}
        />
      )}
    </div>
  );
}

function Gone(): JSX.Element {
  return (
    <div class="view">
      <h1 tabIndex={-1}>{texts.job.gone}</h1>
      <div class="panel-box">
        <Empty title={texts.job.goneMeans}>
          <a href={href('/jobs')}>{texts.common.toJobs}</a>
        </Empty>
      </div>
    </div>
  );
}
