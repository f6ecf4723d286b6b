// The values of rows that were set apart, in the columns of their own register: what is written here goes
// with their files to the drop folder.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ApartColumns, ApartRow } from '../../../contract/apart';
import { tellDone } from '../../parts/again-dialog';
import { Dialog } from '../../parts/dialog';
import { Name } from '../../parts/name';
import { ApiProblem, ask } from '../../shell/api';
import { useAsked } from '../../shell/asked';
import { tellNumber } from '../../shell/format';
import { reader } from '../../shell/reader';
import { texts } from '../../shell/texts';
import { keyOf } from './groups';

interface ValuesProps {
  readonly rows: readonly ApartRow[];
  readonly onEnd: (told: readonly string[] | undefined) => void;
}

/** Row to header to what is to stand there. */
type Edits = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function ValuesDialog({ rows, onEnd }: ValuesProps): JSX.Element {
  const words = texts.apart.values;
  const [first] = rows;
  const params = { share: first?.share ?? '', job: first?.job ?? '' };
  const { data, problem } = useAsked('GET /api/apart/columns/:share/:job', { params });
  const [edits, setEdits] = useState<Edits>({});
  const [hasLooked, setLooked] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const changed = rows.filter(row => Object.keys(edits[keyOf(row)] ?? {}).length > 0);
  const needsLook = changed.some(({ isSafe }) => !isSafe);
  const send = async () => {
    setBusy(true);
    try {
      const documents = changed.map(row => {
        const { share, batchId, index } = row;
        return { share, batchId, index, values: { ...edits[keyOf(row)] } };
      });
      onEnd(tellDone(await ask('POST /api/try-again', { body: { documents, dryRun: false, hasLooked } })));
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setRefused(error.message);
      setBusy(false);
    }
  };
  const edit = (row: ApartRow, header: string, before: string, text: string) => {
    const { [header]: _old, ...others } = edits[keyOf(row)] ?? {};
    setEdits({ ...edits, [keyOf(row)]: text === before ? others : { ...others, [header]: text } });
  };
  const fault = refused ?? problem?.message;
  return (
    <Dialog title={words.title(first?.jobName ?? '')} isWide onClose={() => onEnd(undefined)}>
      <div class="apart-plan">
        <p>{words.how}</p>
        {fault === undefined ? null : (
          <p role="alert" class="of-set-apart">
            {fault}
          </p>
        )}
        {data === undefined ? null : <Grid columns={data} rows={rows} edits={edits} onEdit={edit} />}
        {needsLook ? (
          <label class="apart-looked">
            <input
              type="checkbox"
              class="check"
              checked={hasLooked}
              onChange={event => setLooked(event.currentTarget.checked)}
            />
            {texts.apart.again.hasLooked}
          </label>
        ) : null}
      </div>
      <p class="actions apart-ends">
        <span class="quiet" role="status">
          {changed.length === 0 ? words.none : words.changed(tell(changed.length), changed.length === 1)}
        </span>
        <button
          type="button"
          class="button primary"
          disabled={isBusy || changed.length === 0 || (needsLook && !hasLooked)}
          onClick={() => void send()}
        >
          {words.act(tell(changed.length))}
        </button>
      </p>
    </Dialog>
  );
}

interface GridProps {
  readonly columns: ApartColumns;
  readonly rows: readonly ApartRow[];
  readonly edits: Edits;
  readonly onEdit: (row: ApartRow, header: string, before: string, text: string) => void;
}

function Grid({ columns: { headers, fileAt, rows: known }, rows, edits, onEdit }: GridProps): JSX.Element {
  const words = texts.apart.values;
  const cellsOf = new Map(known.map(row => [keyOf(row), row.cells]));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is to be scrolled by keys as well
    <section class="apart-grid" aria-label={words.title(rows[0]?.jobName ?? '')} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {headers.map((header, at) => (
              <th key={at} scope="col">
                <Name text={header} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={keyOf(row)}>
              {(cellsOf.get(keyOf(row)) ?? []).map((cell, at) => {
                const header = headers[at] ?? '';
                const now = edits[keyOf(row)]?.[header];
                if (at === fileAt)
                  return (
                    <th key={header} scope="row">
                      <Name text={cell} isCut />
                    </th>
                  );
                return (
                  <td key={at} class={now === undefined ? '' : 'is-new'}>
                    <input
                      class="field"
                      aria-label={words.cell(header, row.file)}
                      value={now ?? cell}
                      maxLength={2_000}
                      onInput={event => onEdit(row, header, cell, event.currentTarget.value)}
                    />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function tell(count: number): string {
  return tellNumber(count, reader());
}
