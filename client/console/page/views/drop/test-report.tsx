// What would become of a job, as it was found: its sum, what it costs, and one row a reason.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { FORETOLD_WORDS } from '../../../../../activities/registers/words/foretold-words';
import type { ShownOutcome } from '../../../contract/common';
import { Name } from '../../parts/name';
import { Sign } from '../../parts/sign';
import { TallyBar } from '../../parts/tally';
import { tellNumber, tellTime } from '../../shell/format';
import { reader } from '../../shell/reader';
import { texts } from '../../shell/texts';
import type { Testing } from './testing';

export type Report = NonNullable<Testing['report']>;
type Reason = Report['reasons'][number];

const SIGN: Readonly<Record<Reason['foretold'], ShownOutcome>> = {
  through: 'through',
  'already-there': 'already-there',
  open: 'on-the-way',
  held: 'held',
  'set-apart': 'set-apart',
  'not-there': 'set-apart',
};

/** Files that would stay are named; of more it says how many. */
const MOST_LEFT = 10;

export function TestReport({ report }: { readonly report: Report }): JSX.Element {
  const words = texts.drop;
  const { tally } = report;
  const number = (value: number) => tellNumber(value, reader());
  const all = Object.values(tally).reduce((sum, each) => sum + each, 0);
  const apart = tally['set-apart'] + tally['not-there'];
  const shown = {
    through: tally.through,
    'already-there': tally['already-there'],
    'on-the-way': tally.open,
    'in-line': 0,
    held: tally.held,
    'set-apart': apart,
  };
  const { compared } = report;
  return (
    <>
      <h2>
        <span class="drop-tag">{words.tag}</span>
        <span>
          {words.verdict(number(tally.through + tally.open), number(all))}
          {tally.held > 0 ? words.andHeld(number(tally.held)) : ''}
          {apart > 0 ? words.andApart(number(apart)) : ''}
        </span>
      </h2>
      <div class="drop-foretold" aria-hidden="true">
        <TallyBar tally={shown} isTall />
      </div>
      <p class="small quiet">{report.sum}</p>
      <dl class="drop-facts">
        <Fact name={words.costs} value={words.requests(number(report.requests))} />
        {report.endsAt === null ? null : (
          <Fact name={words.ends} value={words.about(tellTime(report.endsAt, new Date(), reader()))} />
        )}
        <Fact name={words.compared} value={texts.common.of(number(compared.files), number(compared.all))} />
      </dl>
      <TimeMeans report={report} />
      {[...report.notices, ...(compared.why === null ? [] : [compared.why])].map(notice => (
        <p key={notice} class="small">
          <Name text={notice} />
        </p>
      ))}
      {report.left.length === 0 ? null : (
        <p class="small">
          {words.left} <Name text={report.left.slice(0, MOST_LEFT).join(', ')} />
          {report.left.length > MOST_LEFT ? ` ${words.andMore(number(report.left.length - MOST_LEFT))}` : ''}
        </p>
      )}
      <table class="drop-reasons">
        <thead>
          <tr>
            <th scope="col">{words.columns.outcome}</th>
            <th scope="col" class="count">
              {words.columns.rows}
            </th>
            <th scope="col">{words.columns.why}</th>
            <th scope="col">{words.columns.whatToDo}</th>
          </tr>
        </thead>
        <tbody>
          {report.reasons.map(reason => (
            <ReasonRow key={`${reason.foretold} ${reason.why}`} reason={reason} />
          ))}
        </tbody>
      </table>
      <details class="small">
        <summary>{words.onlyService}</summary>
        <ul>
          {report.onlyService.map(text => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </details>
    </>
  );
}

/** Goes with the time above, told in the reader's zone: the worker's sentence would tell it in its own. */
function TimeMeans({ report: { endsAt, time } }: { readonly report: Report }): JSX.Element | null {
  const text = endsAt === null ? time : texts.drop.endsMeans;
  return text === '' ? null : <p class="small quiet">{text}</p>;
}

function Fact({ name, value }: { readonly name: string; readonly value: string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="nums">{value}</dd>
    </div>
  );
}

function ReasonRow({ reason }: { readonly reason: Reason }): JSX.Element {
  const words = texts.drop;
  const [isOpen, setOpen] = useState(false);
  const { foretold, count, why, whatToDo, rows } = reason;
  const number = (value: number) => tellNumber(value, reader());
  return (
    <tr>
      <td>
        <span class={`outcome of-${SIGN[foretold]}`}>
          <Sign outcome={SIGN[foretold]} /> {FORETOLD_WORDS[foretold].word}
        </span>
      </td>
      <td class="count nums">{number(count)}</td>
      <td>
        <Name text={why} />
        {isOpen ? (
          <ul class="small quiet">
            {rows.map(({ row, file, why: own }) => (
              <li key={`${row} ${file}`}>
                {row === null ? null : `${words.row(number(row))}: `}
                <Name text={file} />
                {own === undefined || own === why ? null : (
                  <>
                    {': '}
                    <Name text={own} />
                  </>
                )}
              </li>
            ))}
            {rows.length < count ? <li>{words.first(number(rows.length), number(count))}</li> : null}
          </ul>
        ) : null}
      </td>
      <td>
        <Name text={whatToDo} />{' '}
        <button type="button" class="link-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? words.hide : words.show(number(count))}
        </button>
      </td>
    </tr>
  );
}
