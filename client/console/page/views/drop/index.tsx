// Drop here: what is chosen, what would become of it, and its way to the share.
import './drop.css';
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { DropShare, UploadSummary } from '../../../contract/drop';
import { Icon } from '../../parts/icons';
import { Empty, Failed, Loading } from '../../parts/states';
import type { Params } from '../../shell/address';
import { useAsked } from '../../shell/asked';
import { tellDate } from '../../shell/format';
import { reader } from '../../shell/reader';
import { address, href } from '../../shell/router';
import { texts } from '../../shell/texts';
import { useTitle } from '../../shell/title';
import type { View } from '../../shell/view';
import type { Linked } from './address-of';
import {
  type Choice,
  type ChosenFile,
  draggedFiles,
  filesOf,
  type LookAgain,
  toChoice,
} from './chosen-files';
import { LinkedTest } from './linked-test';
import { LinkedUpload } from './linked-upload';
import { NotEnded } from './not-ended';
import { progress } from './sending';
import { Steps } from './steps';
import { TestResult } from './test-result';
import { giveUpTesting, testing } from './testing';

export const dropView: View = {
  paths: ['/drop', '/drop/:share/:upload', '/tests/:share/:upload'],
  place: 'drop',
  Show: ShowAddress,
};

/** Stays while other views are looked at. */
const chosen = signal<Choice | undefined>(undefined);

/** Name of the share that it goes to. Like what is chosen, it is changed by the person alone. */
const to = signal<string | undefined>(undefined);

/** Chooses something else: the test of what was chosen before ends, unless `keepsTest` lets it stand. */
function choose(choice: Choice | undefined, { keepsTest = false } = {}): void {
  if (!keepsTest) giveUpTesting();
  chosen.value = choice;
}

/** An upload or test that is under way in this window is shown with its steps; any other by itself. */
function ShowAddress({ params: { share = '', upload } }: { readonly params: Params }): JSX.Element {
  const isTest = address.value.path.startsWith('/tests/');
  if (upload === undefined) return <ShowDrop linked={undefined} />;
  if (isTest && testing.value?.upload !== upload) return <LinkedTest share={share} upload={upload} />;
  const isHere = isTest || progress.value?.upload === upload;
  return <ShowDrop linked={isHere ? undefined : { share, upload }} />;
}

function ShowDrop({ linked }: { readonly linked: Linked | undefined }): JSX.Element {
  const words = texts.drop;
  useTitle(words.title);
  const { data, problem, isSlow, again } = useAsked('GET /api/drop', {}, { topics: ['drop'] });
  const [dragProblem, setDragProblem] = useState<string>();
  const choice = chosen.value;
  const sending = progress.value;
  const shares = data?.shares ?? [];
  const named = shares.find(({ name }) => name === (sending?.share ?? to.value));
  const isTheirs = to.value !== undefined && choice !== undefined && sending === undefined;
  const share = named ?? (isTheirs ? undefined : firstOf(shares));
  useEffect(() => {
    if (share !== undefined && sending === undefined) to.value = share.name;
  }, [share?.name, sending === undefined]);
  useEffect(
    () => () => {
      if (chosen.value === undefined) to.value = undefined;
    },
    [],
  );
  const take = (found: readonly ChosenFile[], again?: LookAgain) => {
    setDragProblem(undefined);
    if (found.length > 0) choose(toChoice(found, words.defaultName(tellDate(new Date(), reader())), again));
  };
  const drag = (look: LookAgain) => {
    look().then(
      found => take(found, look),
      () => setDragProblem(words.unreadableDrag),
    );
  };
  const isDragged = useDrag(sending === undefined ? drag : undefined);
  return (
    <div class="view drop">
      <header class="drop-head">
        <div>
          <h1 tabIndex={-1}>{words.title}</h1>
          <p class="sentence">{words.sentence}</p>
        </div>
        {data === undefined || data.shares.length === 0 ? null : (
          <label class="drop-share">
            {words.to}
            <select
              class="field"
              value={share?.name ?? ''}
              disabled={sending !== undefined}
              onChange={event => {
                giveUpTesting();
                to.value = event.currentTarget.value;
              }}
            >
              {share === undefined ? <option value="" disabled /> : null}
              {data.shares.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        )}
      </header>
      {problem !== undefined && data === undefined ? <Failed problem={problem} again={again} /> : null}
      {isSlow ? <Loading /> : null}
      {data !== undefined && share === undefined ? (
        <Empty icon="upload" title={shares.length === 0 ? words.noShare : words.shareGone(to.value ?? '')} />
      ) : null}
      {share === undefined ? null : (
        <div class="drop-columns">
          <div class="drop-left">
            {linked === undefined ? null : <LinkedUpload {...linked} />}
            {share.why === null ? null : <p class="drop-told of-set-apart">{words.shareAway(share.why)}</p>}
            {dragProblem === undefined ? null : (
              <p class="drop-told of-set-apart" role="alert">
                {dragProblem}
              </p>
            )}
            {sending === undefined ? <Zone choose={take} /> : null}
            <Steps
              key={choice?.id ?? 'none'}
              share={share}
              choice={choice}
              open={data?.uploads ?? []}
              choose={choose}
            />
            <p class="small quiet drop-close">{words.close}</p>
            {share.template === null ? null : (
              <p class="small quiet">
                <a href={href(`/api/templates/${encodeURIComponent(share.name)}`)} download>
                  {words.template}
                </a>
                : {words.templateMeans(share.template)}
              </p>
            )}
          </div>
          <div class="drop-right">
            <TestResult share={share.name} choice={choice} choose={choose} />
            <NotEnded uploads={notSending(data?.uploads ?? [], linked)} again={again} />
          </div>
        </div>
      )}
      {isDragged ? <div class="drop-frame" aria-hidden="true" /> : null}
    </div>
  );
}

function firstOf(shares: readonly DropShare[]): DropShare | undefined {
  return shares.find(({ why }) => why === null) ?? shares[0];
}

/** Without those that the view shows elsewhere already. */
function notSending(uploads: readonly UploadSummary[], linked: Linked | undefined): readonly UploadSummary[] {
  const shown = [progress.value?.upload, testing.value?.upload, linked?.upload];
  return uploads.filter(({ upload }) => !shown.includes(upload));
}

/** Files may be dragged onto any place of the page. @returns whether some are held over it just now. */
function useDrag(choose: ((look: LookAgain) => void) | undefined): boolean {
  const [isOver, setOver] = useState(false);
  const taken = useRef(choose);
  taken.current = choose;
  // Before the paint: a browser leaves the page for files that nobody takes.
  useLayoutEffect(() => {
    let inside = 0;
    const ended = new AbortController();
    const { signal } = ended;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    addEventListener(
      'dragenter',
      event => {
        if (!hasFiles(event)) return;
        inside += 1;
        setOver(taken.current !== undefined);
      },
      { signal },
    );
    addEventListener(
      'dragleave',
      () => {
        inside = Math.max(0, inside - 1);
        if (inside === 0) setOver(false);
      },
      { signal },
    );
    addEventListener('dragover', event => hasFiles(event) && event.preventDefault(), { signal });
    addEventListener(
      'drop',
      event => {
        if (!hasFiles(event) || event.dataTransfer === null) return;
        event.preventDefault();
        inside = 0;
        setOver(false);
        taken.current?.(draggedFiles(event.dataTransfer));
      },
      { signal },
    );
    return () => ended.abort();
  }, []);
  return isOver;
}

function Zone({ choose }: { readonly choose: (found: readonly ChosenFile[]) => void }): JSX.Element {
  const words = texts.drop;
  const folder = useRef<HTMLInputElement>(null);
  const files = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    // Known to browsers, not to the typings of the page's elements.
    folder.current?.setAttribute('webkitdirectory', '');
  }, []);
  const take = (event: { readonly currentTarget: HTMLInputElement }) => {
    choose(filesOf(event.currentTarget.files));
    // Emptied, so that choosing the same folder again is a change as well.
    event.currentTarget.value = '';
  };
  return (
    <section class="drop-zone" aria-label={words.zone}>
      <Icon name="folder-up" />
      <h2>{words.zone}</h2>
      <p class="quiet small">{words.zoneMeans}</p>
      <p class="actions">
        <button type="button" class="button" onClick={() => folder.current?.click()}>
          {words.chooseFolder}
        </button>
        <button type="button" class="button" onClick={() => files.current?.click()}>
          {words.chooseFiles}
        </button>
      </p>
      <input
        ref={folder}
        class="drop-input"
        type="file"
        hidden
        onChange={take}
        aria-label={words.chooseFolder}
      />
      <input
        ref={files}
        class="drop-input"
        type="file"
        multiple
        hidden
        onChange={take}
        aria-label={words.chooseFiles}
      />
    </section>
  );
}
