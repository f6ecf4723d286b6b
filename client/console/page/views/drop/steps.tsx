// The steps of one job: chosen, tested if somebody wants, sent.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { DropShare, UploadDetail, UploadSummary } from '../../../contract/drop';
import { Icon } from '../../parts/icons';
import { Name } from '../../parts/name';
import { ApiProblem, ask } from '../../shell/api';
import { tellNumber } from '../../shell/format';
import { reader } from '../../shell/reader';
import { texts } from '../../shell/texts';
import type { Choice } from './chosen-files';
import { isSameChoice, progress, startSending } from './sending';
import { SendingCard } from './sending-card';
import { tellSize } from './tell-size';
import { endTesting, startTesting, type Testing, testing, uploadToSend } from './testing';

const MOST_NAMES = 5;
const MOST_FAULTS = 20;

interface StepsProps {
  readonly share: DropShare;
  readonly choice: Choice | undefined;
  readonly open: readonly UploadSummary[];
  readonly choose: (choice: Choice | undefined) => void;
}

export function Steps({ share, choice, open, choose }: StepsProps): JSX.Element | null {
  const sending = progress.value;
  if (sending !== undefined) return <SendingCard sending={sending} />;
  if (choice === undefined) return null;
  return <Chosen share={share} choice={choice} open={open} choose={choose} />;
}

function Chosen({ share, choice, open, choose }: StepsProps & { readonly choice: Choice }): JSX.Element {
  const words = texts.drop;
  const { locale } = reader();
  const { name } = choice;
  const [problem, setProblem] = useState<ApiProblem>();
  const [isBusy, setBusy] = useState(false);
  const test = testing.value;
  const { known, differs } = useKnown(share.name, choice, open);
  // An upload that was begun for the test is none that somebody began to send, and that stopped.
  const begun = known?.upload === test?.upload ? undefined : known;
  const count = words.countFiles(choice.files.length, tellNumber(choice.files.length, reader()));
  const send = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await startSending(share.name, choice, await uploadToSend(choice, known));
      endTesting();
      choose(undefined);
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="panel-box drop-card" aria-label={words.steps}>
      <header>
        <h2>
          <Name text={name} />
        </h2>
        <button type="button" class="button bare" aria-label={words.clear} onClick={() => choose(undefined)}>
          <Icon name="close" />
        </button>
      </header>
      <p class="quiet">{words.files(count, tellSize(choice.sizeBytes, locale))}</p>
      <ol class="drop-steps">
        <li class="is-done">
          <h3>{words.chosen}</h3>
          <p class="small quiet">{words.kept}</p>
          {choice.isFolder ? null : (
            <label class="drop-name small">
              {words.name}
              <input
                class="field"
                value={name}
                maxLength={250}
                onInput={event => choose({ ...choice, name: event.currentTarget.value })}
              />
              <span class="quiet">{words.nameMeans}</span>
            </label>
          )}
          <Names told={words.leftOut} names={choice.leftOut} />
          <Names told={words.stayed} names={choice.kept ?? []} />
        </li>
        <TestStep test={test} />
        <li class="is-next">
          <h3>{words.send}</h3>
          <p class="small quiet">
            {begun === undefined
              ? words.sendMeans
              : begun.isMoving
                ? words.moves
                : words.goesOn(tellSize(begun.doneBytes, locale), tellSize(begun.sizeBytes, locale))}
          </p>
          {differs ? <p class="small of-held">{words.differs(name)}</p> : null}
        </li>
      </ol>
      {choice.files.length === 0 ? <p class="drop-told of-set-apart">{words.nothingIn}</p> : null}
      {problem === undefined ? null : <Refused problem={problem} />}
      <p class="actions">
        {test === undefined || test.phase === 'stopped' ? (
          <button
            type="button"
            class="button primary"
            disabled={isBusy || share.why !== null || choice.files.length === 0}
            onClick={() => void startTesting(share.name, choice, known)}
          >
            {words.testIt}
          </button>
        ) : null}
        <button
          type="button"
          class="button"
          disabled={isBusy || share.why !== null || choice.files.length === 0}
          onClick={() => void send()}
        >
          {begun === undefined ? words.sendAll(count) : words.goOn}
        </button>
      </p>
    </section>
  );
}

function TestStep({ test }: { readonly test: Testing | undefined }): JSX.Element {
  const words = texts.drop;
  const isDone = test?.phase === 'done';
  return (
    <li class={isDone ? 'is-done' : ''}>
      <h3>{words.test}</h3>
      <p class="small quiet" role="status">
        {tellTest(test)}
      </p>
      {test?.problem === undefined ? null : (
        <p class="drop-told of-set-apart" role="alert">
          <Name text={test.problem} />
        </p>
      )}
    </li>
  );
}

function tellTest(test: Testing | undefined): string {
  const words = texts.drop;
  if (test === undefined || test.phase === 'stopped') return words.testMeans;
  if (test.phase === 'preparing') return words.preparing;
  if (test.phase === 'running') return test.waits === null ? words.testing : words.testWaits(test.waits);
  const all = test.report?.reasons.reduce((sum, { count }) => sum + count, 0) ?? 0;
  return words.tested(tellNumber(all, reader()));
}

/** An upload of this very folder that was not ended; `differs`: those of its name have other files. */
function useKnown(
  share: string,
  choice: Choice,
  open: readonly UploadSummary[],
): { readonly known: UploadDetail | undefined; readonly differs: boolean } {
  const [known, setKnown] = useState<UploadDetail>();
  const [differs, setDiffers] = useState(false);
  const ofName = open.filter(each => each.share === share && each.name === choice.name);
  const ids = ofName.map(({ upload }) => upload).join(' ');
  useEffect(() => {
    const ended = new AbortController();
    setKnown(undefined);
    setDiffers(false);
    const look = async () => {
      for (const { upload } of ofName) {
        const detail = await ask(
          'GET /api/uploads/:share/:upload',
          { params: { share, upload } },
          ended.signal,
        );
        if (ended.signal.aborted) return;
        if (isSameChoice(choice, detail)) {
          setKnown(detail);
          return;
        }
      }
      setDiffers(ofName.length > 0);
    };
    look().catch(() => undefined);
    return () => ended.abort();
  }, [share, ids]);
  return { known, differs };
}

interface NamesProps {
  readonly told: string;
  readonly names: readonly string[];
}

function Names({ told, names }: NamesProps): JSX.Element | null {
  const words = texts.drop;
  if (names.length === 0) return null;
  const more = names.length - MOST_NAMES;
  return (
    <p class="small quiet">
      {told}{' '}
      {names.slice(0, MOST_NAMES).map((name, at) => (
        <span key={name}>
          {at === 0 ? '' : ', '}
          <Name text={name} />
        </span>
      ))}
      {more > 0 ? ` ${words.andMore(tellNumber(more, reader()))}` : ''}
    </p>
  );
}

function Refused({ problem }: { readonly problem: ApiProblem }): JSX.Element {
  const more = problem.faults.length - MOST_FAULTS;
  return (
    <div class="drop-told of-set-apart" role="alert">
      <p>
        <strong>{problem.message}</strong>
      </p>
      <ul class="small">
        {problem.faults.slice(0, MOST_FAULTS).map(({ at, text }) => (
          <li key={`${at} ${text}`}>
            {at === undefined ? null : <Name text={at} />} {text}
          </li>
        ))}
      </ul>
      {more > 0 ? <p class="small">{texts.drop.andMore(tellNumber(more, reader()))}</p> : null}
    </div>
  );
}
