// Trying again what was set apart. Before anything is moved, the dialog tells what would be done, what would
// come back, and what is to be looked at first.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AgainTold, ApartRow } from '../../contract/apart';
import { ApiProblem, ask } from '../shell/api';
import { tellNumber } from '../shell/format';
import { reader } from '../shell/reader';
import { texts } from '../shell/texts';
import { Dialog } from './dialog';
import { LookedBox } from './looked-box';
import { SendButton } from './send-button';

interface AgainProps {
  readonly rows: readonly Pick<ApartRow, 'share' | 'batchId' | 'index'>[];
  /** Called at the end, with sentences that tell what was done; undefined where nothing was. */
  readonly onEnd: (told: readonly string[] | undefined) => void;
}

export function AgainDialog({ rows, onEnd }: AgainProps): JSX.Element {
  const words = texts.apart.again;
  const [plan, setPlan] = useState<AgainTold | undefined>(undefined);
  const [hasLooked, setLooked] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const documents = rows.map(({ share, batchId, index }) => ({ share, batchId, index }));
  const look = async () => {
    try {
      setPlan(await ask('POST /api/try-again', { body: { documents, dryRun: true } }));
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      // A look changes nothing: where its answer is lost, nothing is in doubt.
      setProblem(before => before ?? (error.isUnknown ? texts.common.noAnswer : error.message));
    }
  };
  useEffect(() => void look(), []);
  const goes = (plan?.goes ?? 0) + (hasLooked ? (plan?.lookFirst ?? 0) : 0);
  const act = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      onEnd(tellDone(await ask('POST /api/try-again', { body: { documents, dryRun: false, hasLooked } })));
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setProblem(error.message);
      // Some may have gone: what is still to be done is looked at anew.
      setPlan(undefined);
      await look();
      setBusy(false);
    }
  };
  const lookAgain = () => {
    setProblem(undefined);
    void look();
  };
  return (
    <Dialog title={texts.apart.again.title} onClose={() => onEnd(undefined)}>
      <div class="apart-plan">
        {plan === undefined && problem === undefined ? <p role="status">{words.asking}</p> : null}
        {problem === undefined ? null : (
          <p role="alert" class="of-set-apart">
            {problem}
          </p>
        )}
        {plan === undefined ? null : (
          <>
            <p>{goes === 0 ? words.goesNone : words.goes(tell(goes), goes === 1)}</p>
            {plan.comesBack.map(({ why, documents: count }) => (
              <p key={why} class="apart-stands">
                {texts.common.of(tell(count), tell(rows.length))}: {why}
              </p>
            ))}
            {plan.lookFirst === 0 ? null : (
              <>
                <p>{words.lookFirst(tell(plan.lookFirst), plan.lookFirst === 1)}</p>
                <LookedBox isLooked={hasLooked} onChange={setLooked} words={words.hasLooked} />
              </>
            )}
            <Lines lines={plan.stays} />
          </>
        )}
      </div>
      <p class="actions apart-ends">
        <button type="button" class="button" onClick={() => onEnd(undefined)}>
          {words.keep}
        </button>
        {plan === undefined && problem !== undefined && !isBusy ? (
          <SendButton class="primary" onClick={lookAgain}>
            {texts.operations.lookAgain}
          </SendButton>
        ) : (
          <SendButton class="primary" isOff={isBusy || goes === 0} onClick={() => void act()}>
            {words.act(tell(goes))}
          </SendButton>
        )}
      </p>
    </Dialog>
  );
}

export function tellDone({ goes, lookFirst, stays }: AgainTold): readonly string[] {
  const words = texts.apart.again;
  return [
    goes === 0 ? words.doneNone : words.done(tell(goes), goes === 1),
    ...(lookFirst === 0 ? [] : [words.lookFirst(tell(lookFirst), lookFirst === 1)]),
    ...stays,
  ];
}

function Lines({ lines }: { readonly lines: readonly string[] }): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <ul class="apart-lines">
      {lines.map(line => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function tell(count: number): string {
  return tellNumber(count, reader());
}
