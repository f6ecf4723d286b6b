// The list of jobs: is it through, does anything wait for me, when is it over.
import './jobs.css';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Chips } from '../../parts/chips';
import { Icon } from '../../parts/icons';
import { Name } from '../../parts/name';
import { Empty, Pending } from '../../parts/states';
import { ApiProblem, ask, urlOf } from '../../shell/api';
import { useAsked } from '../../shell/asked';
import { tellNumber } from '../../shell/format';
import { may } from '../../shell/me';
import { reader, ZONE } from '../../shell/reader';
import { address, changeQuery, href, navigate } from '../../shell/router';
import { texts } from '../../shell/texts';
import { useTitle } from '../../shell/title';
import type { View } from '../../shell/view';
import { Filters } from './filters';
import { JobsSentence, jobsVerdict } from './jobs-sentence';
import { JobsTable } from './jobs-table';
import { type JobsPage, keyOf } from './order';

export const jobsView: View = { paths: ['/jobs'], place: 'jobs', Show: ShowJobs };

const STATES = ['all', 'waits', 'on-the-way', 'finished'] as const;
type State = (typeof STATES)[number];

function toState(text: string | undefined): State {
  return STATES.find(state => state === text) ?? 'all';
}

function ShowJobs(): JSX.Element {
  const words = texts.jobs;
  const { state: given, q, day, by, share } = address.value.query;
  const state = toState(given);
  const query = { state, q: q ?? '', zone: ZONE, ...only({ day, by, share }) };
  const { data, answered, problem, isSlow, again } = useAsked(
    'GET /api/jobs',
    { query },
    { topics: ['jobs'], keepsBefore: true },
  );
  const isAnswered = answered === urlOf('GET /api/jobs', { query });
  const earlier = useEarlier(query, data, isAnswered);
  const isFiltered = Boolean(q || day || by || share || state !== 'all');
  useTitle(data === undefined ? words.title : jobsVerdict(data));
  return (
    <div class="view jobs">
      <div class="view-head">
        <div>
          <h1 tabIndex={-1}>{words.title}</h1>
          {data === undefined ? null : <JobsSentence page={data} />}
        </div>
        {may('answer') ? (
          <div class="actions">
            <a class="button wide-only" href={href('/drop?test=1')}>
              <Icon name="folder-open" /> {words.test}
            </a>
            <a class="button primary" href={href('/drop')}>
              <Icon name="upload" /> {words.drop}
            </a>
          </div>
        ) : null}
      </div>
      <div class="filter-row">
        <Chips
          label={words.filters}
          chosen={state}
          onChoose={value => changeQuery({ state: value === 'all' ? '' : value })}
          chips={STATES.map(value => ({
            value,
            label: words.states[value],
            ...countOf(value, data),
          }))}
        />
        <Filters page={data} />
      </div>
      {data === undefined ? <Pending problem={problem} isSlow={isSlow} again={again} /> : null}
      {data === undefined ? null : (
        <>
          {data.shares
            .filter(({ seen }) => !seen)
            .map(({ name }) => (
              <p key={name} class="away-line">
                {words.notSeen(name)}
              </p>
            ))}
          <Found page={data} more={earlier.pages} isFiltered={isFiltered} order={answered} />
          <div class="view-foot">
            {earlier.next === null ? (
              <span>{isFiltered ? words.fit(tell(data.counts.fit), tell(data.counts.finished)) : ''}</span>
            ) : (
              <span>
                <button
                  type="button"
                  class="link-button"
                  aria-disabled={earlier.isLoading || !isAnswered}
                  onClick={earlier.load}
                >
                  {words.earlier(tell(data.counts.fit))}
                </button>{' '}
                {earlier.problem === undefined ? null : (
                  <span role="alert" class="of-set-apart">
                    {earlier.problem.message}
                  </span>
                )}
              </span>
            )}
            <span>{texts.common.zone(ZONE)}</span>
          </div>
        </>
      )}
    </div>
  );
}

function tell(count: number): string {
  return tellNumber(count, reader());
}

function only(given: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).filter((one): one is [string, string] => Boolean(one[1])));
}

function countOf(state: State, page: JobsPage | undefined): { count?: number } {
  if (page === undefined || state === 'all') return {};
  const { waits, onTheWay, finished } = page.counts;
  return { count: { waits, 'on-the-way': onTheWay, finished }[state] };
}

interface Earlier {
  /** With the first page as it was when more was asked for: newer jobs may push some of its own off it. */
  readonly pages: readonly JobsPage[];
  readonly next: string | null;
  readonly load: () => void;
  readonly isLoading: boolean;
  readonly problem: ApiProblem | undefined;
}

/**
 * Pages of finished jobs after the first, which alone is asked again when something changes. Until the
 * question is answered, `first` is that of the one before: its cursor leads to jobs that do not belong here.
 */
function useEarlier(
  query: Readonly<Record<string, string>>,
  first: JobsPage | undefined,
  isAnswered: boolean,
): Earlier {
  const key = JSON.stringify(query);
  const [known, setKnown] = useState<{ key: string; pages: readonly JobsPage[] }>({ key, pages: [] });
  const [problem, setProblem] = useState<ApiProblem | undefined>(undefined);
  const [isLoading, setLoading] = useState(false);
  const shown = useRef(key);
  shown.current = key;
  const pages = known.key === key ? known.pages : [];
  const next = (pages.at(-1) ?? first)?.next ?? null;
  const load = async () => {
    if (next === null || first === undefined || isLoading || !isAnswered) return;
    setLoading(true);
    setProblem(undefined);
    try {
      const page = await ask('GET /api/jobs', { query: { ...query, cursor: next } });
      const before = pages.length === 0 ? [first] : pages;
      if (shown.current === key) setKnown({ key, pages: [...before, page] });
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setProblem(error);
    } finally {
      setLoading(false);
    }
  };
  return { pages, next, load: () => void load(), isLoading, problem };
}

interface FoundProps {
  readonly page: JobsPage;
  readonly more: readonly JobsPage[];
  readonly isFiltered: boolean;
  /** Address of the question that is answered: for each, the order of the open jobs is taken anew. */
  readonly order: string | undefined;
}

function Found({ page, more, isFiltered, order }: FoundProps): JSX.Element {
  const words = texts.jobs;
  const all = [page, ...more].flatMap(one => one.finished);
  const finished = [...new Map(all.toReversed().map(job => [keyOf(job), job])).values()].toReversed();
  if (page.open.length > 0 || finished.length > 0)
    return <JobsTable key={order} open={page.open} finished={finished} />;
  if (isFiltered)
    return (
      <div class="panel-box">
        <Empty title={words.noHit}>
          <p>{words.noHitMeans(tell(page.counts.finished))}</p>
          <button type="button" class="button" onClick={() => navigate('/jobs')}>
            {words.clear}
          </button>
        </Empty>
      </div>
    );
  return (
    <div class="panel-box">
      <Empty icon="folder-up" title={words.noJob}>
        <p>
          {words.noJobMeans}{' '}
          {page.shares.map(({ name, drop }) => (
            <strong key={name}>
              <Name text={drop} />{' '}
            </strong>
          ))}
        </p>
        <p>{words.noJobThen}</p>
      </Empty>
    </div>
  );
}
