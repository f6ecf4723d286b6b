// What would become of a job: nothing of it has happened, so its frame is dashed and its bar hatched.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { FORETOLD_WORDS } from '../../../../../activities/registers/words/foretold-words';
import type { ShownOutcome } from '../../../contract/common';
import { Icon } from '../../parts/icons';
import { Name } from '../../parts/name';
import { Sign } from '../../parts/sign';
import { TallyBar } from '../../parts/tally';
import { tellNumber, tellTime } from '../../shell/format';
import { reader } from '../../shell/reader';
import { href } from '../../shell/router';
import { texts } from '../../shell/texts';
import { type Choice, partOf, toChoice } from './chosen-files';
import { startSending } from './sending';
import { endTesting, startTesting, type Testing, testing, uploadToSend } from './testing';

type Report = NonNullable<Testing['report']>;
type Reason = Report['reasons'][number];

const SIGN: Readonly<Record<Reason['foretold'], ShownOutcome>> = {
  through: 'through',
  'already-there': 'already-there',
  open: 'on-the-way',
  held: 'held',
  'set-apart': 'set-apart',
  'not-there': 'set-apart',
};

interface TestResultProps {
  readonly share: string;
  readonly choice: Choice | undefined;
  readonly choose: (choice: Choice | undefined, how?: { readonly keepsTest: boolean }) => void;
}

export function TestResult({ share, choice, choose }: TestResultProps): JSX.Element | null {
  const words = texts.drop;
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const { report, sheet } = testing.value ?? {};
  if (report === undefined || choice === undefined) return null;
  const act = async (work: () => Promise<void>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      setProblem(error.message);
    } finally {
      setBusy(false);
    }
  };
  const sendAll = async () => {
    await startSending(share, choice, await uploadToSend(undefined));
    endTesting();
    choose(undefined);
  };
  const stays = new Set(report.stays);
  const sendGood = async () => {
    await startSending(
      share,
      partOf(choice, ({ path }) => !stays.has(path)),
    );
    const rest = partOf(choice, ({ path }) => stays.has(path) || path === report.register);
    choose({ ...rest, kept: report.stays });
  };
  const testAgain = async () => {
    const { again } = choice;
    const fresh = again === undefined ? choice : toChoice(await again(), choice.name, again);
    choose(fresh, { keepsTest: true });
    await startTesting(share, fresh, undefined);
  };
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
  const good = tally.through + tally.open + tally['already-there'];
  const { compared } = report;
  return (
    <section class="drop-test" aria-label={words.test}>
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
      {report.time === '' ? null : <p class="small quiet">{report.time}</p>}
      {[...report.notices, ...(compared.why === null ? [] : [compared.why])].map(notice => (
        <p key={notice} class="small">
          <Name text={notice} />
        </p>
      ))}
      {report.left.length === 0 ? null : (
        <p class="small">
          {words.left} <Name text={report.left.slice(0, 10).join(', ')} />
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
      {problem === undefined ? null : (
        <p class="drop-told of-set-apart" role="alert">
          {problem}
        </p>
      )}
      {stays.size === 0 || good === 0 ? null : (
        <p class="small quiet">{words.sendOnlyMeans(stays.size, number(stays.size))}</p>
      )}
      <footer class="drop-foot">
        <p class="actions">
          {sheet === undefined ? null : (
            <a class="button" href={href(sheet)} download>
              <Icon name="download" /> {words.sheet}
            </a>
          )}
          <button type="button" class="button plain" disabled={isBusy} onClick={() => void act(testAgain)}>
            {words.testAgain}
          </button>
        </p>
        <p class="actions">
          {stays.size === 0 || good === 0 ? null : (
            <button type="button" class="button" disabled={isBusy} onClick={() => void act(sendGood)}>
              {words.sendOnly(number(good))}
            </button>
          )}
          <button type="button" class="button primary" disabled={isBusy} onClick={() => void act(sendAll)}>
            {words.sendAllLater}
          </button>
        </p>
      </footer>
    </section>
  );
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
