// Questions that ask for a decision and not for values: a review stands against the document, or it seems to
// be a double, or to come after a later one.
import { useEffect, useState } from 'preact/hooks';
import type { HeldRow, SaidOfDocuments, WaitingPage } from '../../../../contract/waiting';
import { DocumentNumber } from '../../../parts/document-number';
import { Name } from '../../../parts/name';
import { Sign } from '../../../parts/sign';
import type { Fields } from '../../../parts/values/use-fields';
import { tellMoment, tellTime } from '../../../shell/format';
import { now, reader } from '../../../shell/reader';
import { texts as catalogue } from '../../../shell/texts';
import { LastDay } from '../grid/last-day';
import { decideOn, idOf } from '../model/grid';
import { EndReview } from './end-review';

const texts = catalogue.waiting;

interface DecisionsProps {
  readonly kind: 'reviews' | 'same';
  readonly rows: readonly HeldRow[];
  readonly fields: Fields;
  readonly conflicts: WaitingPage['conflicts'];
  readonly mayDecide: (share: string) => boolean;
  readonly isSaving: boolean;
  readonly send: (answers: readonly SaidOfDocuments[], rows: readonly HeldRow[], isSetApart: boolean) => void;
}

export function Decisions({ kind, rows, fields, conflicts, mayDecide, isSaving, send }: DecisionsProps) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [ending, setEnding] = useState<readonly HeldRow[]>([]);
  const [isChanged, setChanged] = useState(false);
  const open = rows.filter(({ share }) => mayDecide(share));
  // A dialog about a review that has ended, or that another one has come in place of, would mislead.
  useEffect(() => {
    if (isEachAsked(ending, rows)) return;
    setEnding([]);
    setChanged(true);
  }, [ending, rows]);
  const askToEnd = (which: readonly HeldRow[]) => {
    setChanged(false);
    setEnding(which);
  };
  const chosen = open.filter(row => selected.has(idOf(row)));
  const decide = (which: readonly HeldRow[], said: Pick<SaidOfDocuments, 'decision' | 'reason' | 'status'>) =>
    send(decideOn(which, said), which, said.decision === 'set-apart');
  const toggle = (ids: readonly string[], isOn: boolean) => {
    const next = new Set(selected);
    for (const id of ids) isOn ? next.add(id) : next.delete(id);
    setSelected(next);
  };
  return (
    <div class="panel-box">
      <p role="status" class={isChanged ? 'of-held' : 'unseen'}>
        {isChanged ? texts.review.changed : ''}
      </p>
      {open.length > 1 && (
        <div class="waiting-bulk">
          <label>
            <input
              type="checkbox"
              class="check"
              checked={chosen.length === open.length}
              onChange={event => toggle(open.map(idOf), event.currentTarget.checked)}
            />{' '}
            {texts.selectAll}
          </label>
          {chosen.length > 1 && (
            <Buttons
              kind={kind}
              rows={chosen}
              isSaving={isSaving}
              decide={decide}
              end={() => askToEnd(chosen)}
            />
          )}
        </div>
      )}
      <ul class="waiting-decisions">
        {rows.map(row => (
          <li key={idOf(row)}>
            {open.length > 1 && mayDecide(row.share) && (
              <input
                type="checkbox"
                class="check"
                aria-label={texts.selectRow(row.number ?? row.file)}
                checked={selected.has(idOf(row))}
                onChange={event => toggle([idOf(row)], event.currentTarget.checked)}
              />
            )}
            <div>
              <p>
                <span class="of-held">
                  <Sign outcome="held" />
                </span>{' '}
                {row.number === null ? <Name text={row.file} /> : <DocumentNumber number={row.number} />}{' '}
                {row.revision !== null && <Name text={row.revision} />}{' '}
                <span class="quiet small">
                  <Name text={row.jobName} />, {tellTime(row.since, now.value, reader())}
                </span>{' '}
                <LastDay until={row.until} />
              </p>
              <p>
                <Name text={row.reason} />
              </p>
              <p class="quiet small">
                {kind === 'reviews' ? tellWait(row, conflicts) : <Name text={row.whatToDo} />}
              </p>
              {mayDecide(row.share) && (
                <Buttons
                  kind={kind}
                  rows={[row]}
                  isSaving={isSaving}
                  decide={decide}
                  end={() => askToEnd([row])}
                />
              )}
            </div>
          </li>
        ))}
      </ul>
      {ending.length > 0 && (
        <EndReview
          rows={ending}
          fields={fields}
          close={() => setEnding([])}
          end={(reason, status) => {
            setEnding([]);
            decide(ending, { decision: 'terminate', reason, status });
          }}
        />
      )}
    </div>
  );
}

interface ButtonsProps {
  readonly kind: DecisionsProps['kind'];
  readonly rows: readonly HeldRow[];
  readonly isSaving: boolean;
  readonly decide: (rows: readonly HeldRow[], said: Pick<SaidOfDocuments, 'decision'>) => void;
  readonly end: () => void;
}

function Buttons({ kind, rows, isSaving, decide, end }: ButtonsProps) {
  const [first] = rows;
  const isMany = rows.length > 1;
  const revision = first?.revision ?? texts.review.it;
  const again =
    kind === 'same'
      ? ([texts.same.send, texts.same.sendMany] as const)
      : ([texts.review.again, texts.review.againMany] as const);
  return (
    <p class="actions">
      <button
        type="button"
        class="button"
        disabled={isSaving}
        onClick={() => decide(rows, { decision: 'retry' })}
      >
        {isMany ? again[1](rows.length) : again[0]}
      </button>
      <button
        type="button"
        class="button"
        disabled={isSaving}
        onClick={() => decide(rows, { decision: 'set-apart' })}
      >
        {isMany ? texts.review.apartMany(rows.length) : texts.review.apart(revision)}
      </button>
      {kind === 'reviews' && (
        <button type="button" class="button plain waiting-danger" disabled={isSaving} onClick={end}>
          {isMany ? texts.review.endMany(rows.length) : texts.review.end}
        </button>
      )}
    </p>
  );
}

/** Whether each of them still asks the same. */
function isEachAsked(some: readonly HeldRow[], rows: readonly HeldRow[]): boolean {
  const now = new Map(rows.map(row => [idOf(row), row.reason]));
  return some.every(row => now.get(idOf(row)) === row.reason);
}

/** What happens without an answer: it waits, and goes on by itself only where the share is set to `wait`. */
function tellWait({ share, until }: HeldRow, conflicts: WaitingPage['conflicts']): string {
  const at = tellMoment(until, now.value, reader());
  return conflicts[share] === 'wait' ? texts.review.waits(at) : texts.review.asks(at);
}
