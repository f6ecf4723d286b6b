// One document: what became of it and what to do, its values and where they come from, its whole way.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { OUTCOME_WORDS } from '../../../../../activities/registers/words/outcome-words';
import type { JobHead, JobRow, RowDetail } from '../../../contract/jobs';
import { AgainDialog } from '../../parts/again-dialog';
import { DocumentNumber } from '../../parts/document-number';
import { Icon } from '../../parts/icons';
import { Name, Told } from '../../parts/name';
import { SendButton } from '../../parts/send-button';
import { Sign } from '../../parts/sign';
import { Pending } from '../../parts/states';
import { withQuery } from '../../shell/address';
import { useAsked } from '../../shell/asked';
import { tellDate, tellMoment, tellNumber, tellSize, tellTime } from '../../shell/format';
import { may } from '../../shell/me';
import { now, reader } from '../../shell/reader';
import { href } from '../../shell/router';
import { texts } from '../../shell/texts';
import { AnswerHere } from './answer-here';
import { labelOf } from './shown-rows';
import { Way } from './way';

const DAY_MS = 86_400_000;

interface PanelProps {
  readonly head: JobHead;
  readonly rowKey: string;
  /** The rows that are shown: the panel tells which of them this one is. */
  readonly rows: readonly JobRow[];
  readonly onClose: () => void;
  /** A link from elsewhere has led here: in the table the row has this key. */
  readonly onOtherKey: (key: string) => void;
}

export function DocumentPanel({ head, rowKey, rows, onClose, onOtherKey }: PanelProps): JSX.Element {
  const words = texts.job.panel;
  const { share, job } = head;
  const { data, problem, isSlow, again } = useAsked(
    'GET /api/jobs/:share/:job/rows/:key',
    { params: { share, job, key: rowKey } },
    { topics: [`job:${share}/${job}`] },
  );
  const row = data ?? rows.find(({ key }) => key === rowKey);
  const shownKey = data?.key ?? rowKey;
  useEffect(() => {
    if (shownKey !== rowKey) onOtherKey(shownKey);
  }, [shownKey, rowKey]);
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (place.current !== null) place.current.scrollTop = 0;
  }, [rowKey]);
  return (
    <aside
      class="panel-box document-panel"
      ref={place}
      aria-label={row === undefined ? words.file : labelOf(row)}
    >
      <header>
        <div class="panel-title">
          <h2>
            {row === undefined ? (
              <bdi>{rowKey}</bdi>
            ) : row.number === null ? (
              <Name text={labelOf(row)} />
            ) : (
              <DocumentNumber number={row.number} />
            )}{' '}
            <span class="revision">
              <bdi>{row?.revision}</bdi>
            </span>
          </h2>
          <span class="position">{row === undefined ? null : positionOf(row, rows)}</span>
          <button type="button" class="button bare" aria-label={words.close} onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        {row?.title == null ? null : (
          <p class="quiet">
            <Name text={row.title} />
          </p>
        )}
      </header>
      {row === undefined ? null : <Verdict row={row} detail={data} head={head} />}
      {data === undefined ? (
        <Pending problem={problem} isSlow={isSlow} again={again} isBoxed={false} />
      ) : (
        <Details detail={data} />
      )}
    </aside>
  );
}

function positionOf(row: JobRow, rows: readonly JobRow[]): string {
  const same = rows.filter(({ outcome }) => outcome === row.outcome);
  const at = same.findIndex(({ key }) => key === row.key) + 1;
  if (at === 0) return '';
  const word = OUTCOME_WORDS[row.outcome].afterNumber;
  return texts.job.panel.position(tellNumber(at, reader()), tellNumber(same.length, reader()), word);
}

interface VerdictProps {
  readonly row: JobRow;
  readonly detail: RowDetail | undefined;
  readonly head: JobHead;
}

function Verdict({ row, detail, head }: VerdictProps): JSX.Element {
  const words = texts.job.panel;
  const { outcome, since, reason, whatToDo } = row;
  const { word } = OUTCOME_WORDS[outcome];
  const until = detail?.question?.until;
  // Of a finished job those are counted that nobody has taken up again.
  const lying = head.endedAt === null ? head.tally['set-apart'] : (head.needs?.setApart ?? 0);
  return (
    <div class={`verdict on-${outcome}`}>
      <p class="verdict-head">
        <strong class={`of-${outcome}`}>
          <Sign outcome={outcome} />{' '}
          {since === null ? word : words.since(word, tellTime(since, now.value, reader()))}
        </strong>
        {until === undefined ? null : <span class="small quiet">{words.untilThen(tellUntil(until))}</span>}
      </p>
      {reason === null ? null : (
        <p class="wraps">
          <Told text={reason} />
        </p>
      )}
      {whatToDo === null ? null : (
        <p class="wraps quiet">
          <Told text={whatToDo} />
        </p>
      )}
      {outcome === 'held' && may('answer', head.share) ? (
        <AnswerHere key={row.key} head={head} detail={detail} />
      ) : null}
      {outcome === 'set-apart' ? (
        <p class="actions">
          {detail === undefined ? null : <TryAgain key={row.key} detail={detail} share={head.share} />}
          {lying === 0 ? null : (
            <a href={href(withQuery('/apart', { share: head.share, job: head.job }))}>
              {texts.jobs.seeApart(tellNumber(lying, reader()))}
            </a>
          )}
        </p>
      ) : null}
    </div>
  );
}

/** The day until which it is held; once less than a day is left, the time as well. */
function tellUntil(until: string): string {
  const isSoon = Date.parse(until) - now.value.getTime() < DAY_MS;
  return isSoon ? tellMoment(until, now.value, reader()) : tellDate(until, reader(), { withYear: false });
}

/** Tries this one document again, with what its register says of it. What came of it is told in its place. */
function TryAgain({
  detail,
  share,
}: {
  readonly detail: RowDetail;
  readonly share: string;
}): JSX.Element | null {
  const [isAsked, setAsked] = useState(false);
  const [told, setTold] = useState<readonly string[]>([]);
  const { batchId, index } = detail;
  if (batchId === null || index === null || !may('answer', share)) return null;
  const end = (lines: readonly string[] | undefined) => {
    setAsked(false);
    setTold(lines ?? []);
  };
  if (told.length > 0) return <span role="status">{told.join(' ')}</span>;
  return (
    <>
      <SendButton onClick={() => setAsked(true)}>{texts.common.tryAgain}</SendButton>
      {isAsked ? <AgainDialog rows={[{ share, batchId, index }]} onEnd={end} /> : null}
    </>
  );
}

function Details({ detail }: { readonly detail: RowDetail }): JSX.Element {
  const words = texts.job.panel;
  const facts: readonly (readonly [string, string | null])[] = [
    [words.name, detail.file],
    [words.lies, detail.path],
    [words.size, detail.sizeBytes === null ? null : tellSize(detail.sizeBytes, reader())],
    [words.checksum, detail.sha256],
    [words.upload, detail.uploadId],
    [words.revision, detail.revisionId],
    [words.batch, detail.batchId],
  ];
  return (
    <>
      {detail.values.length === 0 ? null : (
        <section>
          <h3>{words.values}</h3>
          <dl class="values">
            {detail.values.map(({ label, value, from }, at) => (
              <div key={at}>
                <dt>
                  <bdi>{label}</bdi>
                </dt>
                <dd class={value === null ? 'of-held' : ''}>
                  {value === null ? words.missing : <Name text={value} />}
                </dd>
                <dd class="from">{from === null ? null : <Told text={from} />}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {detail.way.length === 0 ? null : <Way detail={detail} />}
      {detail.notes.length === 0 ? null : (
        <section>
          <h3>{words.notes}</h3>
          {detail.notes.map(note => (
            <p key={note} class="wraps">
              <Told text={note} />
            </p>
          ))}
        </section>
      )}
      <section>
        <h3>{words.file}</h3>
        <dl class="values facts-list">
          {facts.map(([label, value]) =>
            value === null ? null : (
              <div key={label}>
                <dt>{label}</dt>
                <dd>
                  <Name text={value} />
                </dd>
              </div>
            ),
          )}
        </dl>
      </section>
    </>
  );
}
