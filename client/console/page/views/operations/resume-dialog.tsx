// Resume: first it tells what would be done to each batch; then, once a person says so, what was done.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog';
import { Name } from '../../parts/name';
import { Loading } from '../../parts/states';
import { type Answer, ApiProblem, ask } from '../../shell/api';
import { tellNumber } from '../../shell/format';
import { connection } from '../../shell/live';
import { reader } from '../../shell/reader';
import { texts } from '../../shell/texts';

type Told = Answer<'POST /api/resume'>;
type Row = Told['batches'][number];

interface ResumeDialogProps {
  /** null: all of them. */
  readonly cause: string | null;
  readonly onClose: () => void;
}

const tell = (count: number) => tellNumber(count, reader());

export function ResumeDialog({ cause, onClose }: ResumeDialogProps): JSX.Element {
  const words = texts.operations;
  const [told, setTold] = useState<Told>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(true);
  const send = async (look: boolean, batches?: string[]) => {
    setBusy(true);
    setProblem(undefined);
    const body = {
      look,
      ...(cause === null ? {} : { cause }),
      ...(batches === undefined ? {} : { batches }),
    };
    try {
      setTold(await ask('POST /api/resume', { body }));
    } catch (error) {
      // Nobody knows what was done, and what was listed may stand no more.
      setTold(undefined);
      setProblem(tellProblem(error, look));
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => void send(true), []);
  const isLost = connection.value.state === 'lost';
  const able = told?.batches.filter(({ deed }) => deed !== 'none') ?? [];
  return (
    <Dialog title={told?.isLook === false ? words.didTitle : words.lookTitle} onClose={onClose}>
      <div class="resume-look" aria-live="polite">
        {told === undefined && isBusy ? <Loading /> : null}
        {problem === undefined ? null : (
          <p class="of-set-apart" role="alert">
            {problem}
          </p>
        )}
        {told === undefined ? null : <Verdict told={told} />}
        {told === undefined || told.batches.length === 0 ? null : <Rows told={told} />}
      </div>
      <p class="actions">
        {told?.isLook === true && able.length > 0 ? (
          <button
            type="button"
            class="button primary"
            disabled={isBusy || isLost}
            onClick={() =>
              void send(
                false,
                able.map(({ batchId }) => batchId),
              )
            }
          >
            {words.resume(tell(able.length))}
          </button>
        ) : null}
        {problem === undefined ? null : (
          <button
            type="button"
            class="button primary"
            disabled={isBusy || isLost}
            onClick={() => void send(true)}
          >
            {words.lookAgain}
          </button>
        )}
        <button type="button" class="button" onClick={onClose}>
          {words.close}
        </button>
      </p>
    </Dialog>
  );
}

function tellProblem(error: unknown, isLook: boolean): string {
  if (!(error instanceof ApiProblem)) return error instanceof Error ? error.message : String(error);
  // A look changes nothing: where its answer is lost, nothing is in doubt.
  if (isLook) return error.isUnknown ? texts.common.noAnswer : error.message;
  return error.isUnknown || error.status >= 500 ? texts.operations.notKnownWhether : error.message;
}

function Verdict({ told: { isLook, batches } }: { readonly told: Told }): JSX.Element {
  const words = texts.operations;
  if (isLook) return <p>{batches.length === 0 ? words.lookNone : words.nothingDone}</p>;
  const goOn = batches.filter(({ result }) => result === 'done' || result === 'goes-on-already');
  const documents = goOn.reduce((sum, each) => sum + (each.documents ?? 0), 0);
  const stay = batches.length - goOn.length;
  return (
    <p>
      <strong>{words.resumed(tell(goOn.length), goOn.length === 1, tell(documents), documents === 1)}</strong>{' '}
      {stay === 0 ? null : words.stay(tell(stay), stay === 1)}
    </p>
  );
}

function Rows({ told: { isLook, batches } }: { readonly told: Told }): JSX.Element {
  const words = texts.operations;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and is scrolled by keys
    <section class="resume-rows" tabIndex={0} aria-label={words.lookTitle}>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.batch}</th>
            <th scope="col">{isLook ? words.would : words.did}</th>
          </tr>
        </thead>
        <tbody>
          {batches.map(row => (
            <tr key={row.batchId}>
              <td>
                <Name text={row.batchId} />
                <p class="small quiet">
                  <Name text={row.cause} />
                </p>
              </td>
              <td>
                <Name text={isLook ? deedOf(row) : resultOf(row)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function deedOf({ deed, hint }: Row): string {
  return hint === null ? texts.operations.deeds[deed] : `${texts.operations.deeds[deed]}: ${hint}`;
}

function resultOf(row: Row): string {
  if (row.result === null) return deedOf(row);
  const text = texts.operations.results[row.result];
  return row.why === null ? text : `${text}: ${row.why}`;
}
