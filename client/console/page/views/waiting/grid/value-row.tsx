// One document of the grid.
import type { WaitingPage } from '../../../../contract/waiting';
import { DocumentNumber } from '../../../parts/document-number';
import { Icon } from '../../../parts/icons';
import { Name } from '../../../parts/name';
import type { CheckedField } from '../../../parts/values/check-cell';
import { Combo } from '../../../parts/values/combo';
import { countLabels } from '../../../parts/values/options';
import { tellDay, tellTime } from '../../../shell/format';
import { now, reader } from '../../../shell/reader';
import { texts as catalogue } from '../../../shell/texts';
import type { RowEdits } from '../model/edits';
import { fieldOf, type GridColumn, type GridRow, isOpenRow, stateOf } from '../model/grid';
import { CellShown, showCell } from './cell';
import { LastDay } from './last-day';
import type { GridWork } from './use-grid';

const texts = catalogue.waiting;

interface ValueRowProps {
  readonly row: GridRow;
  /** Among all rows. */
  readonly at: number;
  readonly top: number;
  readonly index: number;
  readonly columns: readonly GridColumn[];
  readonly fields: readonly CheckedField[];
  readonly edits: RowEdits | undefined;
  /** What the numbers of all rows begin with. */
  readonly shared: string;
  readonly withJob: boolean;
  readonly isSelected: boolean;
  readonly isFading: boolean;
  readonly active: number | undefined;
  readonly editing: GridWork['editing'];
  readonly grid: GridWork;
  readonly used: WaitingPage['used'];
  readonly mayWrite: boolean;
}

export function ValueRow(props: ValueRowProps) {
  const { row, at, top, index, columns, isSelected, shared, withJob, grid, mayWrite } = props;
  const { held } = row;
  const called = held.number ?? held.file;
  const open = columns.filter(({ isOpen }) => isOpen);
  return (
    <div
      class="waiting-row"
      role="row"
      aria-rowindex={index}
      aria-selected={isSelected}
      data-locked={row.answered === undefined ? undefined : ''}
      data-fading={props.isFading ? '' : undefined}
      style={{ top: `${top}px` }}
    >
      <div role="gridcell">
        {mayWrite && isOpenRow(row) && (
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={texts.selectRow(called)}
            checked={isSelected}
            onChange={event => grid.toggle([row.id], event.currentTarget.checked)}
          />
        )}
      </div>
      <div role="gridcell" class="quiet nums">
        {held.row}
      </div>
      <div role="rowheader" class="waiting-number">
        {held.number === null ? (
          <Name text={called} isCut />
        ) : (
          <DocumentNumber number={called} shared={shared} />
        )}
      </div>
      <div role="gridcell">{held.revision !== null && <Name text={held.revision} />}</div>
      <div role="gridcell" class="quiet">
        <Name text={held.title ?? (held.number === null ? '' : held.file)} isCut />
      </div>
      {withJob && (
        <div role="gridcell" class="quiet">
          <Name text={held.jobName} isCut />
        </div>
      )}
      {columns.map(column => {
        const position = open.indexOf(column);
        return position < 0 ? (
          <Known key={column.name} row={row} column={column} fields={props.fields} />
        ) : (
          <OpenCell
            key={column.name}
            {...props}
            column={column}
            position={position}
            place={`${at}-${position}`}
          />
        );
      })}
      <div role="gridcell" class="waiting-line small">
        <Answer {...props} />
      </div>
    </div>
  );
}

function Known({
  row,
  column,
  fields,
}: Pick<ValueRowProps, 'row' | 'fields'> & { readonly column: GridColumn }) {
  const field = fields.find(({ name }) => name === column.name);
  const look = row.asked.includes(column.name) ? 'needed' : 'plain';
  return (
    <div role="gridcell" class="waiting-line quiet" data-look={look}>
      <CellShown shown={{ look, text: row.known.get(column.name) ?? '' }} field={field} />
    </div>
  );
}

interface OpenCellProps extends ValueRowProps {
  readonly column: GridColumn;
  readonly position: number;
  readonly place: string;
}

function OpenCell(props: OpenCellProps) {
  const { row, at, column, position, place, fields, edits, active, editing, grid, used, mayWrite } = props;
  const field = fieldOf(row, fields, column.name);
  const shown = showCell(row, column, edits?.get(column.name), field);
  const isActive = active === position;
  const isEditing = isActive && editing !== undefined && field !== undefined;
  const isOpen = mayWrite && isOpenRow(row) && field !== undefined;
  return (
    <div
      role="gridcell"
      class="waiting-line waiting-open"
      data-at={place}
      data-look={shown.look}
      aria-invalid={shown.look === 'fault' ? true : undefined}
      aria-readonly={!isOpen}
      tabIndex={isEditing ? undefined : isActive ? 0 : -1}
      onPointerDown={event => {
        if (isEditing || event.button !== 0) return;
        grid.setActive({ row: at, column: position });
      }}
      onClick={event => {
        if (
          event.target instanceof Element &&
          event.target.closest('[data-open]') !== null &&
          isActive &&
          !isEditing
        )
          grid.edit(edits?.get(column.name) ?? '', true);
      }}
      onDblClick={() => {
        if (!isEditing) grid.edit(edits?.get(column.name) ?? '', true);
      }}
    >
      {isEditing ? (
        <Combo
          field={field}
          text={editing.text}
          isOpen={editing.isOpen}
          label={`${column.label}, ${row.held.number ?? row.held.file}`}
          counts={countLabels(field, used, row.held)}
          selected={grid.selectedOpen.length}
          commit={grid.commit}
          cancel={grid.cancel}
        />
      ) : (
        <>
          <span class="cut">
            <CellShown shown={shown} field={field} />
          </span>
          {isOpen && field.values.length > 0 && (
            <span class="waiting-chevron" data-open="">
              <Icon name="chevron-down" />
            </span>
          )}
        </>
      )}
    </div>
  );
}

function Answer({ row, edits, fields, grid, mayWrite }: ValueRowProps) {
  const state = stateOf(row, edits, fields);
  switch (state.kind) {
    case 'locked':
      return (
        <span class="quiet cut">
          {state.by === '' ? texts.gone : texts.locked(state.by, tellTime(state.at, now.value, reader()))}
        </span>
      );
    case 'ready':
      return (
        <span class="waiting-ready">
          <Icon name="check" /> {texts.ready}
        </span>
      );
    case 'fault': {
      if (state.nearest.length === 0 || !mayWrite || !isOpenRow(row))
        return (
          <span class="waiting-fault cut" title={state.text}>
            {texts.notAValue}
          </span>
        );
      const isDate = fields.find(({ name }) => name === state.field)?.takes === 'date';
      // Of a date that can be read two ways, both are offered.
      return (
        <span class="waiting-nearests" title={state.text}>
          {state.nearest.slice(0, isDate ? 2 : 1).map(nearest => (
            <button
              key={nearest}
              type="button"
              class="waiting-nearest cut"
              tabIndex={-1}
              onClick={() => grid.put([{ id: row.id, field: state.field, text: nearest }])}
            >
              {isDate ? texts.whichDate([tellDay(nearest, reader())]) : texts.nearest(shortOf(nearest))}
            </button>
          ))}
        </span>
      );
    }
    case 'lacks':
      return <LastDay until={row.held.until} />;
  }
}

/** `For construction (A4)` is known by its code. */
function shortOf(nearest: string): string {
  return /\(([^()\s]{1,8})\)$/.exec(nearest)?.[1] ?? nearest;
}
