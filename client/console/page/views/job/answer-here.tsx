// A held document is answered in its own panel: with the values that it lacks, checked as in the grid. One
// that asks for a decision is answered in *Waiting for me*.
import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { JobHead, RowDetail } from '../../../contract/jobs';
import { Icon } from '../../parts/icons';
import { Name } from '../../parts/name';
import { type CheckedField, toAnswer } from '../../parts/values/check-cell';
import { Combo } from '../../parts/values/combo';
import { needsOf } from '../../parts/values/needs';
import { useFields } from '../../parts/values/use-fields';
import { withQuery } from '../../shell/address';
import { announceNow } from '../../shell/announce';
import { ApiProblem, ask } from '../../shell/api';
import { tellTime } from '../../shell/format';
import { connection } from '../../shell/live';
import { now, reader } from '../../shell/reader';
import { href } from '../../shell/router';
import { texts } from '../../shell/texts';

interface AnswerProps {
  readonly head: JobHead;
  readonly detail: RowDetail | undefined;
}

/** What came of an answer, and the question that it was for. */
interface Told {
  readonly text: string;
  readonly isFault: boolean;
  readonly about: string | undefined;
}

const NO_COUNTS: ReadonlyMap<string, number> = new Map();

export function AnswerHere({ head, detail }: AnswerProps): JSX.Element {
  const words = texts.job.panel;
  const { share, job } = head;
  const question = detail?.question ?? undefined;
  const asksValues = question?.kind === 'missing-values';
  const shares = useMemo(() => (asksValues ? [share] : []), [asksValues, share]);
  const fields = useFields(shares).of(share);
  const needs = useMemo(
    () => (question === undefined ? [] : needsOf({ ...question, reason: detail?.reason ?? '' }, fields)),
    [question?.missing.join(), detail?.reason, fields],
  );
  const [written, setWritten] = useState<ReadonlyMap<string, string>>(new Map());
  const [editing, setEditing] = useState<string | undefined>();
  const [isBusy, setBusy] = useState(false);
  const [told, setTold] = useState<Told | undefined>();
  const about = question && `${question.since} ${detail?.reason ?? ''}`;
  const next = useRef<string | undefined>(undefined);
  const place = useRef<HTMLDivElement>(null);
  // Once a value was written, the focus goes back to its field.
  useLayoutEffect(() => {
    const field = next.current;
    next.current = undefined;
    const buttons = place.current?.querySelectorAll<HTMLElement>('[data-field]') ?? [];
    for (const button of buttons) if (button.dataset.field === field) button.focus();
  }, [editing]);
  const values = toValues(needs, written);
  const save = async () => {
    if (detail?.batchId == null || detail.index === null || values === undefined) return;
    setBusy(true);
    try {
      const asked = question === undefined ? {} : { asked: { question: question.kind } };
      const one = { share, batchId: detail.batchId, documents: [detail.index], values, ...asked };
      const { refused } = await ask('POST /api/answers', { body: { answers: [one] } });
      const text = refused[0] === undefined ? words.answered : tellRefused(refused[0]);
      setTold({ text, isFault: refused.length > 0, about });
      announceNow(text);
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setTold({ text: error.message, isFault: true, about });
    } finally {
      setBusy(false);
    }
  };
  const toGrid = (
    <a
      class={needs.length === 0 ? 'button primary' : ''}
      href={href(withQuery(placeOf(question), { job: `${share}/${job}` }))}
    >
      {needs.length === 0 ? words.answer : words.answerInGrid}
    </a>
  );
  // It is no word about a question that is asked again; between the two nothing is asked for a while.
  const isOver = about !== undefined && told?.about !== about;
  if (told !== undefined && !told.isFault && !isOver) return <p role="status">{told.text}</p>;
  if (needs.length === 0) return <p>{toGrid}</p>;
  return (
    <div class="job-answer" ref={place}>
      {needs.map(field => {
        const text = written.get(field.name) ?? '';
        const checked = text === '' ? undefined : field.check(text);
        const end = (then: string) => {
          if (then !== 'stay') next.current = field.name;
          setEditing(undefined);
        };
        const write = (given: string, then: string) => {
          setWritten(before => new Map(before).set(field.name, given.trim()));
          setTold(undefined);
          end(then);
        };
        return (
          <div key={field.name}>
            <span class="small quiet">
              <bdi>{field.label}</bdi>
            </span>
            {editing === field.name ? (
              <div class="job-answer-field">
                <Combo
                  field={field}
                  text={text}
                  isOpen
                  label={field.label}
                  counts={NO_COUNTS}
                  selected={0}
                  commit={write}
                  cancel={() => end('down')}
                />
              </div>
            ) : (
              <button
                type="button"
                class="job-answer-field"
                data-field={field.name}
                aria-label={`${field.label}: ${text === '' ? texts.waiting.which : text}`}
                aria-invalid={checked?.kind === 'fault'}
                onClick={() => setEditing(field.name)}
              >
                {text === '' ? (
                  <span class="of-held">{texts.waiting.which}</span>
                ) : (
                  <Name text={text} isCut />
                )}
                <Icon name="chevron-down" />
              </button>
            )}
            {checked?.kind === 'fault' ? <p class="small of-set-apart">{checked.text}</p> : null}
          </div>
        );
      })}
      {told?.isFault !== true ? null : (
        <p role="alert" class="of-set-apart">
          {told.text}
        </p>
      )}
      <p class="actions">
        <button
          type="button"
          class="button primary"
          disabled={isBusy || values === undefined || connection.value.state === 'lost'}
          onClick={() => void save()}
        >
          {texts.waiting.foot.save(1)}
        </button>
        {toGrid}
      </p>
    </div>
  );
}

/** A value for each field that is needed; undefined while one lacks its value, or has a text that is none. */
function toValues(
  needs: readonly CheckedField[],
  written: ReadonlyMap<string, string>,
): Record<string, string | string[]> | undefined {
  const values: Record<string, string | string[]> = {};
  for (const field of needs) {
    const text = written.get(field.name) ?? '';
    const value = text === '' ? undefined : toAnswer(field, text);
    if (value === undefined) return undefined;
    values[field.name] = value;
  }
  return values;
}

interface RefusedOne {
  readonly why: string;
  readonly before: { readonly by: string | null; readonly at: string; readonly said: string } | null;
}

function tellRefused({ why, before }: RefusedOne): string {
  if (before === null) return why;
  const by = before.by ?? texts.waiting.foot.somebody;
  return `${texts.waiting.locked(by, tellTime(before.at, now.value, reader()))}: ${before.said}`;
}

function placeOf(question: RowDetail['question'] | undefined): string {
  switch (question?.kind) {
    case 'workflow-conflict':
      return '/waiting/reviews';
    case 'duplicate':
    case 'overtaken':
      return '/waiting/same';
    default:
      return '/waiting';
  }
}
