// The table of corrected values: a cell of a field of the project offers what may stand in it.
import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApartColumns, ApartRow } from '../../../contract/apart';
import { Name } from '../../parts/name';
import type { CheckedField } from '../../parts/values/check-cell';
import { Combo } from '../../parts/values/combo';
import { texts } from '../../shell/texts';
import { keyOf } from './groups';

/** By the key of a row and then by header: the text that is to stand there. */
export type Edits = ReadonlyMap<string, ReadonlyMap<string, string>>;

interface GridProps {
  readonly columns: ApartColumns;
  readonly rows: readonly ApartRow[];
  readonly fields: readonly CheckedField[];
  readonly edits: Edits;
  readonly onEdit: (row: ApartRow, header: string, before: string, text: string) => void;
}

interface Place {
  readonly row: number;
  readonly column: number;
}
interface Editing extends Place {
  readonly text: string;
  /** Its list is opened at once. */
  readonly isOpen: boolean;
}

/** How many rows are drawn at first; more of them when somebody asks. */
const FIRST = 100;
const NO_COUNTS: ReadonlyMap<string, number> = new Map();

export function ValuesGrid({ columns, rows, fields, edits, onEdit }: GridProps): JSX.Element {
  const words = texts.apart.values;
  const { headers, fileAt } = columns;
  const cellsOf = new Map(columns.rows.map(row => [keyOf(row), row.cells]));
  const [most, setMost] = useState(FIRST);
  const [editing, setEditing] = useState<Editing | undefined>();
  const table = useRef<HTMLElement>(null);
  const next = useRef<Place | undefined>(undefined);
  // As soon as it is drawn: what is typed next is meant for it.
  useLayoutEffect(() => {
    if (next.current === undefined) return;
    const { row, column } = next.current;
    next.current = undefined;
    table.current?.querySelector<HTMLElement>(`[data-cell="${row}-${column}"]`)?.focus();
  });
  const shown = rows.slice(0, most);

  const cellOf = (row: ApartRow, cell: string, place: Place): JSX.Element => {
    const header = headers[place.column] ?? '';
    const now = edits.get(keyOf(row))?.get(header);
    const field = fields.find(({ name }) => name === columns.fields[place.column]);
    const label = words.cell(header, row.file);
    const isEditing = editing?.row === place.row && editing.column === place.column;
    if (field !== undefined && isEditing)
      return (
        <Combo
          field={field}
          text={editing.text}
          isOpen={editing.isOpen}
          label={label}
          counts={NO_COUNTS}
          selected={0}
          cancel={() => {
            next.current = place;
            setEditing(undefined);
          }}
          commit={(text, then) => {
            onEdit(row, header, cell, text);
            const by = then === 'right' ? 1 : then === 'left' ? -1 : 0;
            const isLast = then === 'down' && place.row + 1 < shown.length;
            if (then !== 'stay')
              next.current = { row: place.row + (isLast ? 1 : 0), column: place.column + by };
            setEditing(undefined);
          }}
        />
      );
    if (field === undefined || (field.values.length === 0 && field.takes !== 'date'))
      return (
        <input
          class="field"
          data-cell={`${place.row}-${place.column}`}
          aria-label={label}
          value={now ?? cell}
          maxLength={2_000}
          onInput={event => onEdit(row, header, cell, event.currentTarget.value)}
        />
      );
    const edit = (text: string, isOpen: boolean) => setEditing({ ...place, text, isOpen });
    return (
      <button
        type="button"
        class="apart-cell"
        data-cell={`${place.row}-${place.column}`}
        aria-label={`${label}: ${now ?? cell}`}
        aria-haspopup="listbox"
        onClick={() => edit(now ?? cell, true)}
        onKeyDown={event => {
          if (event.key.length !== 1 || event.key === ' ' || event.ctrlKey || event.metaKey || event.altKey)
            return;
          event.preventDefault();
          edit(event.key, false);
        }}
      >
        <Name text={now ?? cell} isCut />
      </button>
    );
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is to be scrolled by keys as well */}
      <section class="apart-grid" aria-label={words.title(rows[0]?.jobName ?? '')} tabIndex={0} ref={table}>
        <table>
          <thead>
            <tr>
              {headers.map((header, at) =>
                header.trim() === '' ? (
                  <td key={at} />
                ) : (
                  <th key={at} scope="col">
                    <Name text={header} />
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, at) => (
              <tr key={keyOf(row)}>
                {(cellsOf.get(keyOf(row)) ?? []).map((cell, column) => {
                  const header = headers[column] ?? '';
                  if (column === fileAt)
                    return (
                      <th key={column} scope="row">
                        <Name text={cell} isCut />
                      </th>
                    );
                  // What is sent names columns by header: not one without, or with that of one before it.
                  if (header.trim() === '' || headers.indexOf(header) !== column)
                    return (
                      <td key={column} class="apart-fixed">
                        <Name text={cell} isCut />
                      </td>
                    );
                  return (
                    <td
                      key={column}
                      class={lookOf(edits.get(keyOf(row))?.get(header), fields, columns.fields[column])}
                    >
                      {cellOf(row, cell, { row: at, column })}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > most ? (
        <button type="button" class="link-button" onClick={() => setMost(most + 10 * FIRST)}>
          {words.moreRows}
        </button>
      ) : null}
    </>
  );
}

function lookOf(
  now: string | undefined,
  fields: readonly CheckedField[],
  name: string | null | undefined,
): string {
  if (now === undefined) return '';
  return isFault(now, fields, name) ? 'is-new is-fault' : 'is-new';
}

function isFault(text: string, fields: readonly CheckedField[], name: string | null | undefined): boolean {
  if (text.trim() === '') return false;
  return fields.find(field => field.name === name)?.check(text).kind === 'fault';
}

/** How many of the written cells are no values of the project. */
export function countFaults(
  edits: Edits,
  { headers, fields: names }: ApartColumns,
  fields: readonly CheckedField[],
): number {
  return [...edits.values()]
    .flatMap(row => [...row])
    .filter(([header, text]) => isFault(text, fields, names[headers.indexOf(header)])).length;
}
