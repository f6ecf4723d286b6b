// Uploads that were begun and not ended: after a reload, or on another day.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { UploadSummary } from '../../../contract/drop';
import { Dialog } from '../../parts/dialog';
import { Name } from '../../parts/name';
import { ApiProblem } from '../../shell/api';
import { reader } from '../../shell/reader';
import { href } from '../../shell/router';
import { texts } from '../../shell/texts';
import { addressOf } from './address-of';
import { discardUpload, sendOff } from './sending';
import { tellSize } from './tell-size';

interface NotEndedProps {
  readonly uploads: readonly UploadSummary[];
  readonly again: () => void;
}

export function NotEnded({ uploads, again }: NotEndedProps): JSX.Element | null {
  const words = texts.drop;
  // Kept by the list and not by its entries: one that was sent or removed after all is in the list no more.
  const [problem, setProblem] = useState<string>();
  if (uploads.length === 0 && problem === undefined) return null;
  return (
    <section class="panel-box drop-open" aria-label={words.notEnded}>
      <h3>{words.notEnded}</h3>
      {problem === undefined ? null : (
        <p class="drop-told of-set-apart" role="alert">
          {problem}
        </p>
      )}
      <ul>
        {uploads.map(upload => (
          <One key={upload.upload} upload={upload} again={again} tell={setProblem} />
        ))}
      </ul>
    </section>
  );
}

interface OneProps {
  readonly upload: UploadSummary;
  readonly again: () => void;
  readonly tell: (problem: string | undefined) => void;
}

function One({ upload, again, tell }: OneProps): JSX.Element {
  const words = texts.drop;
  const { locale } = reader();
  const [done, all] = [tellSize(upload.doneBytes, locale), tellSize(upload.sizeBytes, locale)];
  return (
    <li>
      <p>
        <a href={href(addressOf('drop', upload))}>
          <Name text={upload.name} />
        </a>{' '}
        <span class="quiet">{words.progress(done, all)}</span>
      </p>
      <p class="small quiet">{tellState(upload)}</p>
      <UploadActions upload={upload} again={again} tell={tell} />
    </li>
  );
}

/** Sends what is whole, or gives it up. */
export function UploadActions({ upload, again, tell }: OneProps): JSX.Element {
  const words = texts.drop;
  const [isAsking, setAsking] = useState(false);
  const act = (work: () => Promise<unknown>) => {
    setAsking(false);
    tell(undefined);
    work().then(again, (error: unknown) => {
      if (!(error instanceof ApiProblem)) throw error;
      tell(error.message);
      again();
    });
  };
  return (
    <p class="actions">
      {upload.isWhole ? (
        <button
          type="button"
          class="button"
          onClick={() => act(() => sendOff(upload.share, upload.upload, again))}
        >
          {words.sendNow}
        </button>
      ) : null}
      <button type="button" class="button plain" onClick={() => setAsking(true)}>
        {words.discard}
      </button>
      {isAsking ? (
        <AskDiscard
          name={upload.name}
          keep={() => setAsking(false)}
          discard={() => act(() => discardUpload(upload))}
        />
      ) : null}
    </p>
  );
}

function tellState({ isWhole, isMoving }: UploadSummary): string {
  const words = texts.drop;
  if (isMoving) return words.moves;
  return isWhole ? words.isWhole : words.chooseAgain;
}

interface AskDiscardProps {
  readonly name: string;
  readonly keep: () => void;
  readonly discard: () => void;
}

export function AskDiscard({ name, keep, discard }: AskDiscardProps): JSX.Element {
  const words = texts.drop;
  return (
    <Dialog title={words.discardAsks} onClose={keep}>
      <p class="quiet">
        <Name text={words.discardMeans(name)} />
      </p>
      <p class="actions">
        <button type="button" class="button primary" onClick={keep}>
          {words.keep}
        </button>
        <button type="button" class="button" onClick={discard}>
          {words.discard}
        </button>
      </p>
    </Dialog>
  );
}
