// The grid on a narrow screen: a card for each document, and one button that fills those of a group alike.
import { useState } from 'preact/hooks';
import type { WaitingPage } from '../../../contract/waiting';
import { Dialog } from '../../parts/dialog';
import { DocumentNumber } from '../../parts/document-number';
import { Icon } from '../../parts/icons';
import { Name } from '../../parts/name';
import { sharedPart } from '../../parts/shared-part';
import { Combo } from '../../parts/values/combo';
import { countLabels } from '../../parts/values/options';
import type { Fields } from '../../parts/values/use-fields';
import { tellNumber, tellTime } from '../../shell/format';
import { now, reader } from '../../shell/reader';
import { texts as catalogue } from '../../shell/texts';
import { CellShown, showCell } from './grid/cell';
import { LastDay } from './grid/last-day';
import { type CellText, type History, textAt } from './model/edits';
import { type GridGroup, type GridRow, isOpenRow, stateOf } from './model/grid';

const texts = catalogue.waiting;
/** How many cards of a group are drawn at first; more of them when somebody asks. */
const FIRST = 60;

interface CardsProps {
  readonly groups: readonly GridGroup[];
  readonly fields: Fields;
  readonly history: History;
  readonly used: WaitingPage['used'];
  readonly mayWrite: boolean;
  readonly put: (cells: readonly CellText[]) => void;
}

/** The field that is written in just now, for one row or for all open rows of a group. */
interface Editing {
  readonly rows: readonly GridRow[];
  readonly field: string;
}

export function Cards({ groups, fields, history, used, mayWrite, put }: CardsProps) {
  const [editing, setEditing] = useState<Editing | undefined>();
  /** By the key of a group. */
  const [drawn, setDrawn] = useState<ReadonlyMap<string, number>>(new Map());
  const shared = sharedPart(groups.flatMap(({ rows }) => rows.map(({ held }) => held.number)));
  const [first] = editing?.rows ?? [];
  const field = first && fields.of(first.held.share).find(({ name }) => name === editing?.field);
  return (
    <div class="waiting-cards">
      {groups.map(group => {
        const open = group.rows.filter(isOpenRow);
        const [name] = open[0]?.needs ?? [];
        const most = drawn.get(group.key) ?? FIRST;
        const count = (rows: number) => tellNumber(rows, reader());
        return (
          <section key={group.key}>
            <header>
              <h2>
                <Name text={group.title} /> <span class="quiet">{texts.documents(group.rows.length)}</span>
              </h2>
              {mayWrite && name !== undefined && open.length > 1 && (
                <button type="button" class="button" onClick={() => setEditing({ rows: open, field: name })}>
                  {texts.fill(open.length)}
                </button>
              )}
            </header>
            <ul>
              {group.rows.slice(0, most).map(row => (
                <li key={row.id}>
                  <p>
                    {row.held.number === null ? (
                      <Name text={row.held.file} />
                    ) : (
                      <DocumentNumber number={row.held.number} shared={shared} />
                    )}
                    {row.held.revision !== null && <Name text={row.held.revision} />}
                  </p>
                  {row.held.title !== null && (
                    <p class="quiet">
                      <Name text={row.held.title} />
                    </p>
                  )}
                  <LastDay until={row.held.until} />
                  {row.asked.map(label => (
                    <p key={label} class="waiting-card-cell" data-look="needed">
                      {texts.needed(label)}
                    </p>
                  ))}
                  {row.needs.map(need => (
                    <CardCell
                      key={need}
                      row={row}
                      name={need}
                      fields={fields}
                      history={history}
                      edit={mayWrite ? () => setEditing({ rows: [row], field: need }) : undefined}
                    />
                  ))}
                </li>
              ))}
            </ul>
            {group.rows.length > most && (
              <button
                type="button"
                class="link-button"
                onClick={() => setDrawn(new Map(drawn).set(group.key, most + 5 * FIRST))}
              >
                {catalogue.common.of(count(most), count(group.rows.length))}: {catalogue.common.more}
              </button>
            )}
          </section>
        );
      })}
      {editing !== undefined && first !== undefined && field !== undefined && (
        <Dialog title={field.label} onClose={() => setEditing(undefined)}>
          <Combo
            field={field}
            text={textAt(history.now, { id: first.id, field: field.name })}
            isOpen
            label={field.label}
            counts={countLabels(field, used, first.held)}
            selected={0}
            cancel={() => setEditing(undefined)}
            commit={text => {
              put(editing.rows.map(({ id }) => ({ id, field: field.name, text })));
              setEditing(undefined);
            }}
          />
        </Dialog>
      )}
    </div>
  );
}

interface CardCellProps {
  readonly row: GridRow;
  readonly name: string;
  readonly fields: Fields;
  readonly history: History;
  readonly edit: (() => void) | undefined;
}

function CardCell({ row, name, fields, history, edit }: CardCellProps) {
  const all = fields.of(row.held.share);
  const field = all.find(each => each.name === name);
  const label = field?.label ?? name;
  const shown = showCell(row, { name }, history.now.get(row.id)?.get(name), field);
  const state = stateOf(row, history.now.get(row.id), all);
  return (
    <button
      type="button"
      class="waiting-card-cell"
      data-look={shown.look}
      disabled={edit === undefined || !isOpenRow(row)}
      onClick={edit}
    >
      <span class="unseen">{label}: </span>
      <span class="cut">
        {shown.look === 'needed' ? texts.needed(label) : <CellShown shown={shown} field={field} />}
      </span>
      {state.kind === 'ready' && (
        <span class="waiting-ready">
          <Icon name="check" /> {texts.ready}
        </span>
      )}
      {state.kind === 'locked' && state.by !== '' && (
        <span class="small">{texts.locked(state.by, tellTime(state.at, now.value, reader()))}</span>
      )}
      {shown.look === 'needed' && <Icon name="chevron-down" />}
    </button>
  );
}
