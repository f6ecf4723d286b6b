// One upload by its own address: after a reload, or for a colleague.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { UploadDetail } from '../../../contract/drop';
import { Name } from '../../parts/name';
import { useAsked } from '../../shell/asked';
import { tellTime } from '../../shell/format';
import { now, reader } from '../../shell/reader';
import { href } from '../../shell/router';
import { texts } from '../../shell/texts';
import type { Linked } from './address-of';
import { GoneOr } from './linked-test';
import { UploadActions } from './not-ended';
import { tellSize } from './tell-size';

const LOOK_EVERY_MS = 2_000;

export function LinkedUpload({ share, upload }: Linked): JSX.Element {
  const params = { share, upload };
  const asked = useAsked('GET /api/uploads/:share/:upload', { params }, { topics: ['drop'] });
  const { data, again } = asked;
  // Nobody tells of bytes that come, or of the job that is made seconds after it was sent: so it is asked.
  const isOpen = data !== undefined && (data.sent === null ? data.isMoving : data.sent.job === null);
  useEffect(() => {
    if (!isOpen) return;
    const looking = setInterval(again, LOOK_EVERY_MS);
    return () => clearInterval(looking);
  }, [isOpen, share, upload]);
  // One that was given up meanwhile is not shown as it was before.
  if (data === undefined || asked.problem?.status === 404) return <GoneOr {...asked} />;
  return <Card upload={data} again={again} />;
}

interface CardProps {
  readonly upload: UploadDetail;
  readonly again: () => void;
}

function Card({ upload, again }: CardProps): JSX.Element {
  const words = texts.drop;
  const [problem, setProblem] = useState<string>();
  const { locale } = reader();
  const { name, by, begunAt, doneBytes, sizeBytes, sent, share } = upload;
  const told = words.progress(tellSize(doneBytes, locale), tellSize(sizeBytes, locale));
  return (
    <section class="panel-box drop-card" aria-label={words.linked}>
      <header>
        <h2>
          <Name text={name} />
        </h2>
      </header>
      <progress class="drop-progress" max={Math.max(1, sizeBytes)} value={doneBytes} aria-label={told} />
      <p class="nums">
        <b>{told}</b>
      </p>
      <p class="small quiet">{words.begunBy(by, tellTime(begunAt, now.value, reader()), share)}</p>
      <p class="small" role="status">
        {tellState(upload)}
      </p>
      {problem === undefined ? null : (
        <p class="drop-told of-set-apart" role="alert">
          {problem}
        </p>
      )}
      {sent === null && upload.isYours ? (
        <UploadActions upload={upload} again={again} tell={setProblem} />
      ) : null}
      {sent?.job == null ? null : (
        <p class="actions">
          <a
            class="button primary"
            href={href(`/jobs/${encodeURIComponent(share)}/${encodeURIComponent(sent.job)}`)}
          >
            {words.toJob}
          </a>
        </p>
      )}
    </section>
  );
}

function tellState({ sent, isMoving, isYours, isWhole, by }: UploadDetail): string {
  const words = texts.drop;
  if (sent !== null) return sent.job === null ? words.sentWaits : words.sent;
  if (isMoving) return words.moves;
  if (!isYours) return words.ofOther(by);
  return isWhole ? words.isWhole : words.chooseAgain;
}
