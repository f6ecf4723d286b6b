// What is told above every view: no connection, or a newer page.
import type { JSX } from 'preact';
import { Icon } from '../parts/icons';
import { tellTime } from '../shell/format';
import { connection, hasNewer, startLive } from '../shell/live';
import { now, reader } from '../shell/reader';
import { texts } from '../shell/texts';

export function Bands(): JSX.Element | null {
  const { state, since } = connection.value;
  const { common } = texts;
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
  if (!hasNewer.value) return null;
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
