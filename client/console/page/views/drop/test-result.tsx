// What would become of a job: nothing of it has happened, so its frame is dashed and its bar hatched.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from '../../parts/icons';
import { tellNumber } from '../../shell/format';
import { reader } from '../../shell/reader';
import { href } from '../../shell/router';
import { texts } from '../../shell/texts';
import { type Choice, partOf, toChoice } from './chosen-files';
import { startSending } from './sending';
import { TestReport } from './test-report';
import { endTesting, startTesting, testing, uploadToSend } from './testing';

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
    await startSending(share, choice, await uploadToSend(choice, undefined));
    endTesting();
    choose(undefined);
  };
  const stays = new Set(report.stays);
  const sendGood = async () => {
    const part = partOf(choice, ({ path }) => !stays.has(path));
    await startSending(share, part, await uploadToSend(part, undefined));
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
  const good = tally.through + tally.open + tally['already-there'];
  return (
    <section class="drop-test" aria-label={words.test}>
      <TestReport report={report} />
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
