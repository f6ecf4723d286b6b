// The questions for values: the grid, cards on a narrow screen, and the bar at the foot that saves.
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { WaitingPage } from '../../../contract/waiting';
import { Empty } from '../../parts/states';
import type { Fields } from '../../parts/values/use-fields';
import { useMedia } from '../../shell/media';
import { texts as catalogue } from '../../shell/texts';
import { Cards } from './cards';
import { Foot } from './foot';
import { GridView } from './grid/grid-view';
import { PasteDialog } from './grid/paste-dialog';
import { type AskedPaste, tellFault } from './grid/use-grid';
import { type CellText, undo, write } from './model/edits';
import { decideOn, groupRows, isOpenRow, openIds, tallyRows, toAnswers } from './model/grid';
import { planPaste, readTable } from './model/paste';
import { useRows } from './model/use-waiting';
import type { Answers } from './use-answers';

const texts = catalogue.waiting;
const NARROW = '(max-width: 760px)';

interface ValuesProps {
  readonly page: WaitingPage;
  /** `share/job`; empty for all. */
  readonly job: string;
  readonly fields: Fields;
  readonly answers: Answers;
  readonly mayAnswer: (share: string) => boolean;
  /** Why nothing can be saved just now. */
  readonly why: string | undefined;
}

export function Values({ page, job, fields, answers, mayAnswer, why }: ValuesProps) {
  const { history, change, send, isSaving, fading } = answers;
  const isNarrow = useMedia(NARROW);
  // Kept here, so that a paste goes on waiting when the window becomes narrow and cards replace the grid.
  const [pasted, setPasted] = useState<AskedPaste | undefined>();
  const [selected, select] = useState<ReadonlySet<string>>(new Set());
  const lacking = useMemo(
    () => ({ ...page, rows: page.rows.filter(({ question }) => question === 'missing-values') }),
    [page],
  );
  const { isMine, isWritten } = answers;
  const every = useRows({ page: lacking, fields, mayAnswer, isMine, isWritten });
  const rows = useMemo(
    () => every.filter(({ held }) => job === '' || `${held.share}/${held.job}` === job),
    [every, job],
  );
  const groups = useMemo(() => groupRows(rows, fields.of), [rows, fields.of]);
  const tally = useMemo(() => tallyRows(every, history.now, fields.of), [every, history.now, fields.of]);
  const withJob = job === '' && new Set(rows.map(({ held }) => `${held.share}/${held.job}`)).size > 1;
  const mayWrite = rows.some(({ isReadOnly }) => !isReadOnly);
  const canSave = why === undefined && !isSaving;
  const ready = useMemo(() => tally.ready.filter(({ id }) => !fading.has(id)), [tally, fading]);
  const save = () => {
    const held = ready.map(row => row.held);
    if (canSave) send(toAnswers(ready, history.now, fields.of), held);
  };
  useSaveKeys(save, () => change(undo));

  const chosen = rows.filter(row => isOpenRow(row) && selected.has(row.id)).map(({ held }) => held);
  const decide = (decision: 'retry' | 'set-apart') =>
    send(decideOn(chosen, { decision }), chosen, decision === 'set-apart');

  const put = useCallback(
    (cells: readonly CellText[]) => {
      change(before => write(before, cells));
      for (const cell of cells.slice(0, 1)) tellFault(rows, fields, cell);
    },
    [change, rows, fields],
  );
  // Rows that another person has answered while the dialog was open take nothing any more.
  const planFor = (text: string) =>
    planPaste(
      readTable(text),
      pasted?.to ?? { ids: [], fields: [], isChosen: false },
      new Set(openIds(rows)),
    );

  const foot = (
    <Foot
      chosen={chosen.length}
      decide={decide}
      ready={ready.length}
      lacking={tally.lacking}
      faults={tally.faults}
      isWritten={history.now.size > 0}
      isSaving={isSaving}
      why={answers.problem ?? why}
      isStopped={why !== undefined}
      told={answers.told}
      undo={() => change(undo)}
      canUndo={history.past.length > 0}
      save={save}
    />
  );
  if (rows.length === 0)
    return (
      <>
        <Empty icon="inbox" title={page.rows.length === 0 ? texts.nothing : texts.nothingHere}>
          <p>{texts.nothingWhy}</p>
        </Empty>
        {(history.now.size > 0 || answers.told !== undefined) && foot}
      </>
    );
  return (
    <>
      {isNarrow ? (
        <Cards
          groups={groups}
          fields={fields}
          history={history}
          used={page.used}
          mayWrite={mayWrite}
          put={put}
        />
      ) : (
        <GridView
          groups={groups}
          fields={fields}
          history={history}
          change={change}
          put={put}
          selected={selected}
          select={select}
          used={page.used}
          withJob={withJob}
          mayWrite={mayWrite}
          fading={fading}
          askPaste={setPasted}
        />
      )}
      {pasted !== undefined && (
        <PasteDialog
          text={pasted.text}
          label={pasted.label}
          planFor={planFor}
          take={plan => put(plan.cells)}
          close={() => setPasted(undefined)}
        />
      )}
      {mayWrite && foot}
    </>
  );
}

/**
 * Ctrl S and Ctrl Z, wherever the focus is. In a cell that is written in, Ctrl S takes what is typed first,
 * and Ctrl Z is that of the field.
 */
function useSaveKeys(save: () => void, takeBack: () => void): void {
  const latest = useRef({ save, takeBack });
  latest.current = { save, takeBack };
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || document.querySelector('dialog[open]') !== null) return;
      const key = event.key.toLowerCase();
      const isField = event.target instanceof HTMLInputElement && event.target.type !== 'checkbox';
      if (key === 's') {
        event.preventDefault();
        if (isField) event.target.blur();
        // By then, what stood in the field is written into its row.
        setTimeout(() => latest.current.save());
      } else if (key === 'z' && !isField && !event.defaultPrevented) {
        event.preventDefault();
        latest.current.takeBack();
      }
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}
