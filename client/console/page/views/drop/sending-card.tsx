// A job on its way to the share: how far, how fast, how long; paused, given up.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Name } from '../../parts/name';
import { tellDuration, tellNumber } from '../../shell/format';
import { reader } from '../../shell/reader';
import { texts } from '../../shell/texts';
import { AskDiscard } from './not-ended';
import { discardSending, goOnHere, goOnSending, type Progress, pauseSending } from './sending';
import { tellSize } from './tell-size';

/** Before that its speed is not told: it would be a guess. */
const KNOWN_AFTER_MS = 2_000;

export function SendingCard({ sending }: { readonly sending: Progress }): JSX.Element {
  const words = texts.drop;
  const { locale } = reader();
  const [isAsking, setAsking] = useState(false);
  const { phase, doneBytes, allBytes, doneFiles, allFiles, name, problem } = sending;
  const isMoving = phase === 'sending';
  useEffect(() => {
    if (!isMoving) return;
    const stay = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', stay);
    return () => removeEventListener('beforeunload', stay);
  }, [isMoving]);
  const told = words.progress(tellSize(doneBytes, locale), tellSize(allBytes, locale));
  return (
    <section class="panel-box drop-card" aria-label={words.sending}>
      <header>
        <h2>
          <Name text={name} />
        </h2>
      </header>
      <progress class="drop-progress" max={Math.max(1, allBytes)} value={doneBytes} aria-label={told} />
      <p class="nums">
        <b>{told}</b>{' '}
        <span class="quiet">
          {words.progress(
            tellNumber(doneFiles, reader()),
            words.countFiles(allFiles, tellNumber(allFiles, reader())),
          )}
        </span>
      </p>
      <p class="small quiet" role="status">
        {tellPhase(sending)}
      </p>
      {phase === 'stopped' ? (
        <p class="drop-told of-set-apart" role="alert">
          <strong>{words.stopped}.</strong> {problem === undefined ? null : <Name text={problem} />}
        </p>
      ) : null}
      {phase === 'finishing' || phase === 'sent' ? null : (
        <p class="actions">
          {isMoving ? (
            <button type="button" class="button" onClick={pauseSending}>
              {words.pause}
            </button>
          ) : sending.isElsewhere === true ? (
            <button type="button" class="button" onClick={() => void goOnHere()}>
              {words.goOnHere}
            </button>
          ) : (
            <button type="button" class="button primary" onClick={goOnSending}>
              {words.again}
            </button>
          )}
          <button type="button" class="button plain" onClick={() => setAsking(true)}>
            {words.discard}
          </button>
        </p>
      )}
      {isAsking ? (
        <AskDiscard
          name={name}
          keep={() => setAsking(false)}
          discard={() => {
            setAsking(false);
            void discardSending();
          }}
        />
      ) : null}
    </section>
  );
}

function tellPhase({ phase, since, doneBytes, allBytes }: Progress): string {
  const words = texts.drop;
  if (phase === 'paused' || phase === 'stopped') return words.paused;
  if (phase === 'sent') return words.taken;
  if (phase === 'finishing') return words.finishing;
  const ms = Date.now() - since.at;
  const bytes = doneBytes - since.bytes;
  if (ms < KNOWN_AFTER_MS || bytes <= 0) return words.sendMeans;
  const rest = tellDuration(((allBytes - doneBytes) / bytes) * ms);
  return words.speed(tellSize((bytes / ms) * 1_000, reader().locale), rest);
}
