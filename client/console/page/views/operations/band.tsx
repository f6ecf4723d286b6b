// What stands first: what is away and since when, what waits for it, and whether somebody must act.
import type { JSX } from 'preact';
import { Icon } from '../../parts/icons';
import { Name } from '../../parts/name';
import { Sign } from '../../parts/sign';
import { tellDuration, tellNumber, tellTime } from '../../shell/format';
import { now, reader } from '../../shell/reader';
import { nameOfPart } from '../../shell/sign';
import { texts } from '../../shell/texts';
import type { Operations } from './page';
import { tellAge } from './tell-age';

const tell = (count: number) => tellNumber(count, reader());

interface Said {
  readonly kind: 'well' | 'away' | 'act';
  readonly title: string;
}

function say(page: Operations): Said {
  const words = texts.operations;
  const stopped = countStopped(page);
  const [unserved] = page.unserved;
  const [first] = page.away;
  if (unserved !== undefined) {
    const { share } = unserved;
    return { kind: 'act', title: share === null ? words.noWorker : words.noWorkerOf(share) };
  }
  if (stopped > 0 && page.mustAct) {
    const isOurs = page.stopped.some(({ mayResume }) => mayResume);
    return { kind: 'act', title: words.mustAct(tell(stopped), stopped === 1, isOurs) };
  }
  if (page.mustAct)
    return { kind: 'act', title: words.otherRuns(tell(page.state.otherRuns), page.state.otherRuns === 1) };
  if (first === undefined) return { kind: 'well', title: words.allHere };
  if (first.since === null) return { kind: 'away', title: words.away(nameOfPart(first)) };
  const long = tellAge(first.since);
  const since = tellTime(first.since, now.value, reader());
  return { kind: 'away', title: words.awaySince(nameOfPart(first), since, long) };
}

function countStopped({ stopped }: Operations): number {
  return stopped.reduce((sum, { goesOnByItself, batches }) => (goesOnByItself ? sum : sum + batches), 0);
}

/** For the browser's tab. */
export function verdictOf(page: Operations): string {
  return `${say(page).title} · ${texts.operations.title}`;
}

export function Band({ page }: { readonly page: Operations }): JSX.Element {
  const words = texts.operations;
  const { kind, title } = say(page);
  const { batches } = page.state;
  const onTheWay = batches === 0 ? words.noneOnTheWay : words.onTheWay(tell(batches), batches === 1);
  if (kind === 'well')
    return (
      <p class="operations-well" role="status">
        <strong>{title}</strong> {onTheWay}
      </p>
    );
  return (
    <section class={`operations-band is-${kind}`} role="status">
      <Sign outcome={kind === 'act' ? 'held' : 'set-apart'} />
      <div>
        <h2>
          <Name text={title} />
        </h2>
        <Means page={page} isAct={kind === 'act'} />
      </div>
    </section>
  );
}

function Means({ page, isAct }: { readonly page: Operations; readonly isAct: boolean }): JSX.Element {
  const words = texts.operations;
  const { away, unserved } = page;
  const [first] = away;
  const others = isAct ? away : away.slice(1);
  const batches = first?.batches ?? 0;
  const documents = first?.documents ?? 0;
  const seconds =
    first?.nextTry == null ? 0 : new Date(first.nextTry).getTime() - new Date(page.at).getTime();
  return (
    <>
      <p>
        {isAct ? `${unserved.length > 0 ? words.startOne : words.mustActMeans} ` : `${words.nothingLost} `}
        {batches > 0 ? (
          <strong>{words.waits(tell(batches), batches === 1, tell(documents), documents === 1)} </strong>
        ) : null}
        {others.length > 0 ? `${words.alsoAway(others.map(nameOfPart).join(', '))} ` : null}
        {isAct ? null : words.nothingToDo} {seconds > 0 ? words.nextTry(tellDuration(seconds)) : null}
      </p>
      {first === undefined ? null : (
        <details>
          <summary>
            <Icon name="chevron-right" /> {words.why}
          </summary>
          {away.map(each => (
            <p key={`${each.kind}/${each.share}`} class="small quiet">
              <Name text={`${nameOfPart(each)}: ${each.why}`} />
            </p>
          ))}
        </details>
      )}
    </>
  );
}
