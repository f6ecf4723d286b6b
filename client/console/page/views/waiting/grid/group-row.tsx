// The head of a group: what all of its rows lack.

import { Name } from '../../../parts/name';
import { texts as catalogue } from '../../../shell/texts';
import { type GridGroup, openIds } from '../model/grid';

const texts = catalogue.waiting;

interface GroupRowProps {
  readonly group: GridGroup;
  readonly top: number;
  readonly index: number;
  readonly selected: ReadonlySet<string>;
  readonly mayWrite: boolean;
  readonly toggle: (ids: readonly string[], isOn: boolean) => void;
}

export function GroupRow({ group, top, index, selected, mayWrite, toggle }: GroupRowProps) {
  const ids = openIds(group.rows);
  const isAll = ids.length > 0 && ids.every(id => selected.has(id));
  return (
    <div class="waiting-group" role="row" aria-rowindex={index} style={{ top: `${top}px` }}>
      <div role="gridcell" class="waiting-group-cell">
        {mayWrite && (
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={texts.selectGroup(group.title)}
            checked={isAll}
            onChange={event => toggle(ids, event.currentTarget.checked)}
          />
        )}
        <strong class="cut">
          <Name text={group.title} isCut />
        </strong>
        <span class="quiet nums waiting-count">{texts.documents(group.rows.length)}</span>
        {group.why !== '' && (
          <span class="quiet small cut">
            <Name text={group.why} isCut />
          </span>
        )}
      </div>
    </div>
  );
}
