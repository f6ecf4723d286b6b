// The sentence that answers the list's question in full.
import type { JSX } from 'preact';
import { roundEstimate, tellMoment, tellNumber } from '../../shell/format';
import { now, reader } from '../../shell/reader';
import { texts } from '../../shell/texts';
import { isOnTheWay, type JobsPage } from './order';

interface Said {
  readonly moving: string;
  readonly until: string;
  readonly waits: string | undefined;
}

function say({ open, counts }: JobsPage): Said {
  const words = texts.jobs;
  const tell = (count: number) => tellNumber(count, reader());
  const moving = open.filter(isOnTheWay);
  const ends = moving.map(({ end }) => (end.kind === 'about' ? end.at : undefined));
  const last = ends
    .filter(at => at !== undefined)
    .sort()
    .at(-1);
  const isKnown = last !== undefined && !ends.includes(undefined);
  return {
    moving: moving.length === 0 ? words.noneOnTheWay : words.onTheWay(moving.length, tell(moving.length)),
    until:
      moving.length === 0
        ? ''
        : isKnown
          ? words.until(tellMoment(roundEstimate(last, now.value), now.value, reader()))
          : words.endOpen,
    waits:
      counts.held === 0
        ? undefined
        : words.waits(tell(counts.held), counts.held === 1, tell(counts.waits), counts.waits === 1),
  };
}

export function JobsSentence({ page }: { readonly page: JobsPage }): JSX.Element {
  const { moving, until, waits } = say(page);
  return (
    <p class="sentence">
      <strong>{moving}</strong>
      {until} {waits === undefined ? null : <strong>{waits}</strong>}
    </p>
  );
}

/** For the browser's tab. */
export function jobsVerdict(page: JobsPage): string {
  const { waits, moving } = say(page);
  return `${waits ?? moving.replace(/[^.]$/, '$&.')} ${texts.jobs.title}`;
}
