// Each part with its state now and the marks of a day: grey is well, short and amber not all of it, full and
// red away.
import type { JSX } from 'preact';
import { Name } from '../../parts/name';
import { Sign } from '../../parts/sign';
import { tellClock, tellNumber, tellTime } from '../../shell/format';
import { now, reader } from '../../shell/reader';
import { texts } from '../../shell/texts';
import type { Operations } from './page';
import { tellAge } from './tell-age';

type Part = Operations['parts'][number];

const QUARTER_MS = 15 * 60_000;
const HIGH = 18;
const KINDS = { h: 'well', s: 'slow', a: 'away' } as const;

export function Parts({ page }: { readonly page: Operations }): JSX.Element {
  const words = texts.operations;
  const untilMs = new Date(page.marksUntil).getTime();
  const tellAt = (ms: number) => tellTime(new Date(ms), now.value, reader());
  return (
    <section class="panel-box" aria-labelledby="parts-title">
      <header class="box-head">
        <h2 id="parts-title">{words.parts}</h2>
        <span class="small third">{words.aMark}</span>
      </header>
      <table class="parts-table">
        <thead>
          <tr>
            <th scope="col">
              <span class="unseen">{words.part}</span>
            </th>
            <th scope="col">
              <span class="unseen">{words.now}</span>
            </th>
            <th scope="col" class="marks-cell">
              <span class="unseen">{words.lastDay}</span>
              <span class="marks-axis" aria-hidden="true">
                <span>{tellAt(untilMs - 96 * QUARTER_MS)}</span>
                <span>{tellAt(untilMs - 48 * QUARTER_MS)}</span>
                <span>{tellAt(new Date(page.at).getTime())}</span>
              </span>
            </th>
            <th scope="col" class="detail-cell">
              <span class="unseen">{words.detail}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {page.parts.map(part => (
            <PartRow
              key={`${part.kind}/${part.share}`}
              part={part}
              detail={part.why ?? detailOf(part, page)}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The latest figure of a part that is here, where there is one; else ''. */
function detailOf({ kind, state }: Part, { day, state: { tokenUntil } }: Operations): string {
  const words = texts.operations;
  if (state !== 'here') return '';
  const answerMs = day.numbers.answerMs.at(-1);
  if (kind === 'service' && answerMs != null) return words.answersIn(tellNumber(answerMs, reader()));
  if (kind === 'sign-in' && tokenUntil !== null) return words.tokenUntil(tellClock(tokenUntil, reader()));
  return '';
}

interface PartRowProps {
  readonly part: Part;
  readonly detail: string;
}

function PartRow({ part, detail }: PartRowProps): JSX.Element {
  const words = texts.operations;
  const name = part.kind === 'share' ? words.share(part.share ?? '') : words.kinds[part.kind];
  return (
    <tr>
      <th scope="row">
        <Name text={name} isCut />
      </th>
      <td>
        <StateWord part={part} />
      </td>
      <td class="marks-cell">
        <Marks marks={part.marks} />
      </td>
      <td class="detail-cell quiet small">{detail === '' ? null : <Name text={detail} isCut />}</td>
    </tr>
  );
}

function StateWord({ part: { state, since } }: { readonly part: Part }): JSX.Element {
  const words = texts.operations;
  if (state === 'unknown' || state === 'quiet') return <span class="third">{words.states[state]}</span>;
  const outcome = state === 'here' ? 'through' : state === 'slow' ? 'held' : 'set-apart';
  const text = state === 'away' && since !== null ? words.awayFor(tellAge(since)) : words.states[state];
  return (
    <span class={`outcome ${state === 'here' ? '' : `of-${outcome}`}`}>
      <Sign outcome={outcome} />
      {text}
    </span>
  );
}

function Marks({ marks }: { readonly marks: string }): JSX.Element {
  const words = texts.operations;
  const count = (letter: string) => [...marks].filter(each => each === letter).length;
  const [away, slow] = [count('a'), count('s')];
  const isWell = away + slow === 0;
  const label = isWell
    ? words.marksWell
    : words.marks(tellNumber(away, reader()), tellNumber(slow, reader()));
  return (
    <svg class="day-marks" viewBox={`0 0 ${marks.length * 4} ${HIGH}`} preserveAspectRatio="none" role="img">
      <title>{label}</title>
      {[...marks].map((letter, place) => {
        const kind = letter in KINDS ? KINDS[letter as keyof typeof KINDS] : 'unseen-mark';
        const height = kind === 'slow' ? HIGH / 2 : kind === 'unseen-mark' ? 2 : HIGH;
        return (
          <rect key={place} class={`is-${kind}`} x={place * 4} y={HIGH - height} width="3" height={height} />
        );
      })}
    </svg>
  );
}
