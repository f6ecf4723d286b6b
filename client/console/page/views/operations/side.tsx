// Requests left, and the state of everything in single figures.
import type { ComponentChildren, JSX } from 'preact';
import { Sign } from '../../parts/sign';
import { tellClock, tellDuration, tellNumber, tellTime } from '../../shell/format';
import { now, reader } from '../../shell/reader';
import { texts } from '../../shell/texts';
import type { Operations } from './page';
import { tellAge } from './tell-age';

const tell = (count: number) => tellNumber(count, reader());

function windowWord(seconds: number): string {
  const { windows } = texts.operations;
  if (seconds === 3_600) return windows.hour;
  if (seconds === 60) return windows.minute;
  if (seconds === 86_400) return windows.day;
  return windows.other(tellDuration(seconds * 1_000));
}

export function RequestsLeft({ page: { limits } }: { readonly page: Operations }): JSX.Element {
  const words = texts.operations;
  // The longest window is the one that a day's work runs into.
  const widest = [...(limits ?? [])].sort((one, other) => other.windowSeconds - one.windowSeconds)[0];
  return (
    <section class="panel-box side-box" aria-labelledby="left-title">
      <header class="box-head">
        <h2 id="left-title">{words.left}</h2>
        {widest === undefined ? null : (
          <span class="small third">
            {words.perWindow(tell(widest.limit), windowWord(widest.windowSeconds))}
          </span>
        )}
      </header>
      {widest === undefined ? (
        <p class="box-empty quiet">{words.leftUnknown}</p>
      ) : (
        <div class="left-body">
          <p>
            <span class="figure nums">{tell(widest.remaining)}</span>{' '}
            <span class="quiet small">
              {words.ofAll(tell(widest.limit), tellClock(widest.fullAt, reader()))}
            </span>
          </p>
          <svg class="left-bar" width="100%" height="8" aria-hidden="true">
            <rect
              class="of-left"
              width={`${Math.round((100 * widest.remaining) / Math.max(1, widest.limit))}%`}
              height="8"
              rx="4"
            />
          </svg>
        </div>
      )}
    </section>
  );
}

export function State({ page: { state, notLookedAt } }: { readonly page: Operations }): JSX.Element {
  const words = texts.operations;
  const files = words.files(tell(state.dropFiles), state.dropFiles === 1, state.dropIsMore);
  const oldest = state.dropOldest === null ? '' : `, ${words.oldest(tellAge(state.dropOldest))}`;
  const waiting = state.batchesWaiting === 0 ? '' : `, ${words.ofWhichWait(tell(state.batchesWaiting))}`;
  const held =
    state.heldOldest === null ? '' : `, ${words.heldSince(tellTime(state.heldOldest, now.value, reader()))}`;
  return (
    <section class="panel-box side-box" aria-labelledby="state-title">
      <header class="box-head">
        <h2 id="state-title">{words.state}</h2>
      </header>
      <dl class="state-list">
        <Fact label={words.dropFolders}>{`${files}${oldest}`}</Fact>
        <Fact label={words.batches}>{`${tell(state.batches)}${waiting}`}</Fact>
        <Fact label={words.held}>{`${tell(state.held)}${held}`}</Fact>
        <Fact label={words.token}>
          {state.tokenUntil === null
            ? words.notKnown
            : words.tokenUntil(tellClock(state.tokenUntil, reader()))}
        </Fact>
        <Versions state={state} />
        {state.temporalHref === null ? null : (
          <Fact label={words.runs}>
            <a href={state.temporalHref} target="_blank" rel="noreferrer">
              {words.openTemporal}
            </a>
          </Fact>
        )}
      </dl>
      {notLookedAt.map(text => (
        <p key={text} class="quiet small">
          {text}
        </p>
      ))}
    </section>
  );
}

/** Amber where they differ: then some of them are to be updated. */
function Versions({ state: { version, workers } }: { readonly state: Operations['state'] }): JSX.Element {
  const words = texts.operations;
  const others = (workers?.versions ?? []).filter(each => each !== version);
  return (
    <>
      <Fact label={words.version}>
        {others.length === 0 ? (
          version
        ) : (
          <span class="of-held">
            <Sign outcome="held" /> {words.versionsDiffer(version, others.join(', '))}
          </span>
        )}
      </Fact>
      {workers === null ? null : (
        <Fact label={words.tellingWorkers}>{words.telling(tell(workers.telling), tell(workers.named))}</Fact>
      )}
    </>
  );
}

function Fact({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
