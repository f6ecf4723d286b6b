// What is written and not saved in this window, and saving it.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { AnswersTold, HeldRow, SaidOfDocuments, WaitingPage } from '../../../contract/waiting';
import { ApiProblem, ask } from '../../shell/api';
import { guardLeaving } from '../../shell/router';
import { texts as catalogue } from '../../shell/texts';
import type { Told } from './foot';
import { forget, type History, NO_EDITS } from './model/edits';
import { idOf, inParts, isAnyToSave } from './model/grid';

/** How long a row stays in sight after its answer was taken. */
const FADES_MS = 1_000;

export interface Answers {
  readonly history: History;
  readonly change: (next: (before: History) => History) => void;
  readonly told: Told | undefined;
  readonly isSaving: boolean;
  readonly problem: string | undefined;
  /** Ids of rows whose answers were taken, and that are about to go. */
  readonly fading: ReadonlySet<string>;
  /** Whether this question was answered here, and its row is gone. One that is asked anew, later, was not. */
  readonly isMine: (held: HeldRow) => boolean;
  readonly isWritten: (id: string) => boolean;
  /** `rows` are those that the answers are about. */
  readonly send: (
    answers: readonly SaidOfDocuments[],
    rows: readonly HeldRow[],
    isSetApart?: boolean,
  ) => void;
  readonly forgetTold: () => void;
  readonly tell: (text: string | undefined) => void;
}

/** @param page what waits, as it was told last */
export function useAnswers(again: () => void, page: WaitingPage | undefined): Answers {
  const [history, setHistory] = useState<History>(NO_EDITS);
  const [told, setTold] = useState<Told | undefined>();
  const [isSaving, setSaving] = useState(false);
  const [problem, setProblem] = useState<string | undefined>();
  const [fading, setFading] = useState<ReadonlySet<string>>(new Set());
  /** Id of each row that was answered here, to the `since` of the question that the answer was for. */
  const [mine, setMine] = useState<ReadonlyMap<string, string>>(new Map());
  const isSending = useRef(false);
  const latest = useRef(history);
  latest.current = history;
  const waits = useRef(page);
  waits.current = page;

  useEffect(
    () =>
      guardLeaving(to =>
        isWithin(to) || !isAnyToSave(latest.current.now, waits.current) ? undefined : catalogue.waiting.leave,
      ),
    [],
  );
  const change = useCallback((next: (before: History) => History) => {
    setTold(undefined);
    setProblem(undefined);
    setHistory(next);
  }, []);
  const take = useCallback((taken: ReadonlySet<string>, rows: readonly HeldRow[]) => {
    setFading(before => new Set([...before, ...taken]));
    setHistory(before => forget(before, taken));
    setTimeout(() => {
      const asked = rows.flatMap(row => (taken.has(idOf(row)) ? [[idOf(row), row.since] as const] : []));
      setMine(before => new Map([...before, ...asked]));
      setFading(before => new Set([...before].filter(id => !taken.has(id))));
    }, FADES_MS);
  }, []);
  const send = useCallback(
    (answers: readonly SaidOfDocuments[], rows: readonly HeldRow[], isSetApart = false) => {
      // The key may be pressed a second time before the first one has been drawn.
      if (answers.length === 0 || isSending.current) return;
      isSending.current = true;
      const run = async () => {
        setSaving(true);
        setProblem(undefined);
        try {
          let all: AnswersTold = { taken: [], refused: [] };
          for (const part of inParts(answers)) {
            const answer = await ask('POST /api/answers', { body: { answers: [...part] } });
            all = { taken: [...all.taken, ...answer.taken], refused: [...all.refused, ...answer.refused] };
            setTold({ ...all, isSetApart });
            take(new Set(answer.taken.map(idOf)), rows);
          }
          again();
        } catch (error) {
          if (!(error instanceof ApiProblem)) throw error;
          const faults = error.faults.map(({ text }) => text).join(' ');
          setProblem(`${error.message} ${faults}`.trim());
          // It may have been taken all the same.
          again();
        } finally {
          isSending.current = false;
          setSaving(false);
        }
      };
      void run();
    },
    [again, take],
  );
  return {
    history,
    change,
    told,
    isSaving,
    problem,
    fading,
    isMine: useCallback((held: HeldRow) => mine.get(idOf(held)) === held.since, [mine]),
    isWritten: useCallback((id: string) => latest.current.now.has(id), []),
    send,
    forgetTold: () => setTold(undefined),
    tell: setProblem,
  };
}

/** Another tab of this view: what is written stays. */
function isWithin(path: string | undefined): boolean {
  return path === '/waiting' || path?.startsWith('/waiting/') === true;
}
