// What is told above every view: no connection, or a newer page.
import type { JSX } from 'preact';
import { Icon } from '../parts/icons';
import { Name } from '../parts/name';
import { isSignedOut } from '../shell/api';
import { tellTime } from '../shell/format';
import { connection, hasNewer, startLive } from '../shell/live';
import { now, reader } from '../shell/reader';
import { href } from '../shell/router';
import { nameOfPart, sign } from '../shell/sign';
import { texts } from '../shell/texts';
import type { Place } from '../shell/view';

/** @param place of the view that is shown: Operations itself tells what is away, so it has no strip. */
export function Bands({ place }: { readonly place: Place | undefined }): JSX.Element | null {
  const { state, since } = connection.value;
  const { common } = texts;
  // Whoever is signed out has no connection either: the sign-in dialog over the page tells them.
  if (isSignedOut.value) return null;
  if (state === 'lost')
    return (
      <div class="band" role="status">
        <Icon name="unplugged" />
        <p>
          <strong>{common.lostSince(tellTime(since, now.value, reader()))}</strong> {common.lostMeans}
        </p>
        <button type="button" class="button" onClick={startLive}>
          {common.tryNow}
        </button>
      </div>
    );
  return (
    <>
      {place === 'operations' ? null : <AwayStrip />}
      {hasNewer.value ? <Newer /> : null}
    </>
  );
}

/** What is away, in one thin line: it comes back by itself, and nobody need do anything. */
function AwayStrip(): JSX.Element | null {
  const away = sign.value?.away ?? [];
  if (away.length === 0) return null;
  const names = [...new Set(away.map(nameOfPart))];
  const [first] = away.flatMap(({ since }) => since ?? []).sort();
  const since = first === undefined ? undefined : tellTime(first, now.value, reader());
  return (
    <p class="away-strip" role="status">
      <a href={href('/operations')}>
        <Name text={texts.common.awayAll(names, since)} />
      </a>
    </p>
  );
}

function Newer(): JSX.Element {
  const { common } = texts;
  return (
    <div class="band" role="status">
      <Icon name="refresh" />
      <p>
        <strong>{common.newer}</strong> {common.reloadWhen}
      </p>
      <button type="button" class="button" onClick={() => location.reload()}>
        {common.reload}
      </button>
    </div>
  );
}
