// The sentence above the list: how many jobs are on the way and until when, and what waits for people.
import type { JSX } from 'preact';
import { roundEstimate, tellMoment, tellNumber } from '../../shell/format';
import { may } from '../../shell/me';
import { now, reader } from '../../shell/reader';
import { texts } from '../../shell/texts';
import type { JobsPage } from './order';

interface Said {
  readonly moving: string;
  readonly until: string;
  readonly waits: string | undefined;
}

function say({ counts, until }: JobsPage): Said {
  const words = texts.jobs;
  const tell = (count: number) => tellNumber(count, reader());
  const { onTheWay, held, waits } = counts;
  const end =
    until === null
      ? words.endOpen
      : words.until(tellMoment(roundEstimate(until, now.value), now.value, reader()));
  return {
    moving: onTheWay === 0 ? words.noneOnTheWay : words.onTheWay(onTheWay, tell(onTheWay)),
    until: onTheWay === 0 ? '' : end,
    // Documents do not wait for somebody who may only see them.
    waits:
      held === 0 ? undefined : words.waits(tell(held), held === 1, tell(waits), waits === 1, may('answer')),
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
