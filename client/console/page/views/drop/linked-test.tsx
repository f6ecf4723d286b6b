// The result of a test run by its own address: after a reload, or for a colleague. Nothing is chosen here.
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Icon } from '../../parts/icons';
import { Name } from '../../parts/name';
import { Pending } from '../../parts/states';
import { useAsked } from '../../shell/asked';
import { href } from '../../shell/router';
import { texts } from '../../shell/texts';
import { useTitle } from '../../shell/title';
import { addressOf, type Linked } from './address-of';
import { TestReport } from './test-report';

const LOOK_EVERY_MS = 1_500;

export function LinkedTest({ share, upload }: Linked): JSX.Element {
  const words = texts.drop;
  const params = { share, upload };
  const {
    data: read,
    problem,
    isSlow,
    again,
  } = useAsked('GET /api/tests/:share/:upload', { params }, { topics: ['drop'] });
  // One that was given up meanwhile is not shown as it was before.
  const data = problem?.status === 404 ? undefined : read;
  const isRunning = data?.state === 'running';
  useEffect(() => {
    if (!isRunning) return;
    const looking = setInterval(again, LOOK_EVERY_MS);
    return () => clearInterval(looking);
  }, [isRunning, share, upload]);
  useTitle(data === undefined ? words.test : `${words.test} · ${data.name}`);
  return (
    <div class="view drop">
      <header class="drop-head">
        <div>
          <h1 tabIndex={-1}>{data === undefined ? words.test : <Name text={data.name} />}</h1>
          <p class="sentence">{words.linkedTest(share)}</p>
        </div>
        <p class="actions">
          <a class="button" href={href(addressOf('drop', { share, upload }))}>
            {words.toUpload}
          </a>
        </p>
      </header>
      {data === undefined ? <GoneOr problem={problem} isSlow={isSlow} again={again} /> : null}
      {data?.state === 'running' ? (
        <p class="drop-linked" role="status">
          {data.waits === null ? words.testing : words.testWaits(data.waits)}
        </p>
      ) : null}
      {data?.state === 'failed' ? <p class="drop-told of-set-apart">{data.why}</p> : null}
      {data?.state === 'done' ? (
        <section class="drop-test drop-linked" aria-label={words.test}>
          <TestReport report={data.report} />
          <footer class="drop-foot">
            <a class="button" href={href(data.sheet)} download>
              <Icon name="download" /> {words.sheet}
            </a>
          </footer>
        </section>
      ) : null}
    </div>
  );
}

/** What is not there any more is told as such, and not as a fault; all else as `Pending` tells it. */
export function GoneOr({ problem, isSlow, again }: Parameters<typeof Pending>[0]): JSX.Element {
  if (problem?.status === 404) return <p class="panel-box drop-card quiet drop-linked">{problem.message}</p>;
  return <Pending problem={problem} isSlow={isSlow} again={again} />;
}
