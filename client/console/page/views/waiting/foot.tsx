// The bar at the foot: what is written and not saved yet, and what became of what was saved.

import { useEffect } from 'preact/hooks';
import type { AnswersTold } from '../../../contract/waiting';
import { announceNow } from '../../shell/announce';
import { connection } from '../../shell/live';
import { texts as catalogue } from '../../shell/texts';

const texts = catalogue.waiting.foot;

/** What came of the last answers. */
export interface Told extends AnswersTold {
  readonly isSetApart: boolean;
}

interface FootProps {
  readonly ready: number;
  readonly lacking: number;
  readonly faults: number;
  readonly isWritten: boolean;
  readonly isSaving: boolean;
  /** Why nothing can be saved just now. */
  readonly why: string | undefined;
  /** The reason lasts: nothing can be saved before it is over. */
  readonly isStopped: boolean;
  readonly canUndo: boolean;
  readonly told: Told | undefined;
  /** How many rows are selected, to be set apart, or tried as they are, without a value. */
  readonly chosen: number;
  readonly decide: (decision: 'retry' | 'set-apart') => void;
  readonly undo: () => void;
  readonly save: () => void;
}

export function Foot({
  ready,
  lacking,
  faults,
  isWritten,
  isSaving,
  why,
  isStopped,
  canUndo,
  told,
  chosen,
  decide,
  undo,
  save,
}: FootProps) {
  const all = catalogue.waiting;
  const isLost = connection.value.state === 'lost';
  const reason = isLost ? texts.noLine : why;
  const cannot = isSaving || isStopped || isLost;
  const says = told === undefined ? '' : tellTold(told);
  useEffect(() => {
    if (says !== '') announceNow(says);
  }, [says]);
  return (
    <section class="waiting-foot" aria-label={catalogue.waiting.columns.answer}>
      <div class="waiting-foot-in">
        <p>
          {says !== '' && <strong>{says} </strong>}
          {isWritten && says === '' && <strong>{ready === 0 ? texts.none : texts.unsaved(ready)} </strong>}
          {isWritten && <span class="quiet">{texts.rest(lacking, faults)} </span>}
          {reason !== undefined && <span class="of-held">{reason}</span>}
        </p>
        <div class="actions">
          {chosen > 0 && (
            <>
              <button
                type="button"
                class="button plain"
                disabled={cannot}
                onClick={() => decide('set-apart')}
              >
                {all.review.apartMany(chosen)}
              </button>
              <button type="button" class="button plain" disabled={cannot} onClick={() => decide('retry')}>
                {all.asTheyAre(chosen)}
              </button>
            </>
          )}
          <button type="button" class="button plain" disabled={!canUndo || isSaving} onClick={undo}>
            {texts.undo}
          </button>
          <button type="button" class="button primary" disabled={ready === 0 || cannot} onClick={save}>
            {isSaving ? texts.saving : texts.save(ready)}
          </button>
        </div>
      </div>
    </section>
  );
}

function tellTold({ taken, refused, isSetApart }: Told): string {
  const before = refused.filter(each => each.before !== null);
  const others = refused.length - before.length;
  const by = [...new Set(before.map(each => each.before?.by ?? texts.somebody))];
  return [
    taken.length === 0 ? '' : isSetApart ? texts.setApart(taken.length) : texts.taken(taken.length),
    before.length === 0 ? '' : texts.before(before.length, by.length === 1 ? (by[0] ?? '') : texts.somebody),
    others === 0 ? '' : texts.refused(others),
  ]
    .filter(text => text !== '')
    .join(' ');
}
