// A job as a sum: one bar whose parts always stand in the same order, with the numbers beside it as text.
import type { JSX } from 'preact';
import { OUTCOME_WORDS, OUTCOMES, tellSum } from '../../../../activities/registers/words/outcome-words';
import type { ShownOutcome } from '../../contract/common';
import type { JobSummary } from '../../contract/jobs';
import { tellNumber } from '../shell/format';
import { reader } from '../shell/reader';
import { cutBar } from './bar';
import { Sign } from './sign';

type Counts = Readonly<Record<ShownOutcome, number>>;

const WIDTH = 1_000;

/** Whether the job waits for an operator: it needs a person, though none of its documents does. */
export function isStopped({ needs }: Pick<JobSummary, 'needs'>): boolean {
  return needs !== null && needs.held + needs.setApart === 0;
}

/** As wide as its place. Screen readers are told its numbers. */
export function TallyBar({
  tally,
  isTall = false,
}: {
  readonly tally: Counts;
  readonly isTall?: boolean;
}): JSX.Element {
  const parts = cutBar(
    OUTCOMES.map(outcome => tally[outcome]),
    { width: WIDTH, gap: isTall ? 1.5 : 5, least: isTall ? 4 : 10 },
  );
  return (
    <svg
      class={isTall ? 'tally tall' : 'tally'}
      viewBox={`0 0 ${WIDTH} 8`}
      preserveAspectRatio="none"
      role="img"
      aria-label={tellSum(tally)}
    >
      {OUTCOMES.map((outcome, at) => {
        const part = parts[at];
        if (part === undefined) return null;
        return (
          <rect
            key={outcome}
            class={`part of-${outcome}`}
            x={part.from}
            width={part.width}
            y="0"
            height="8"
          />
        );
      })}
    </svg>
  );
}

/** Only what occurs. */
export function TallyNumbers({ tally }: { readonly tally: Counts }): JSX.Element {
  return (
    <ul class="tally-numbers">
      {OUTCOMES.filter(outcome => tally[outcome] > 0).map(outcome => (
        <li key={outcome} class={`of-${outcome}`}>
          <Sign outcome={outcome} />
          <b class="nums">{tellNumber(tally[outcome], reader())}</b> {OUTCOME_WORDS[outcome].afterNumber}
        </li>
      ))}
    </ul>
  );
}
