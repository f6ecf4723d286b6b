// The values of rows that were set apart, in the columns of their own register: what is written here goes
// with their files to the drop folder.
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ApartRow } from '../../../contract/apart';
import { tellDone } from '../../parts/again-dialog';
import { Dialog } from '../../parts/dialog';
import { LookedBox } from '../../parts/looked-box';
import { SendButton } from '../../parts/send-button';
import { Pending } from '../../parts/states';
import { useFields } from '../../parts/values/use-fields';
import { ApiProblem, ask } from '../../shell/api';
import { useAsked } from '../../shell/asked';
import { tellNumber } from '../../shell/format';
import { reader } from '../../shell/reader';
import { guardLeaving } from '../../shell/router';
import { texts } from '../../shell/texts';
import { keyOf } from './groups';
import { countFaults, type Edits, ValuesGrid } from './values-grid';

interface ValuesProps {
  readonly rows: readonly ApartRow[];
  readonly onEnd: (told: readonly string[] | undefined) => void;
}

export function ValuesDialog({ rows, onEnd }: ValuesProps): JSX.Element {
  const words = texts.apart.values;
  const [first] = rows;
  const share = first?.share ?? '';
  const shares = useMemo(() => [share], [share]);
  const fields = useFields(shares).of(share);
  const params = { share, job: first?.job ?? '' };
  // Asked again once the fields have come: only then does the server know which field each column means.
  const question = fields.length > 0 ? { params } : undefined;
  const plain = useAsked('GET /api/apart/columns/:share/:job', { params });
  const { data: named } = useAsked('GET /api/apart/columns/:share/:job', question);
  const { problem, isSlow, again } = plain;
  const data = named ?? plain.data;
  const [edits, setEdits] = useState<Edits>(new Map());
  const [hasLooked, setLooked] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const latest = useRef(edits);
  latest.current = edits;
  useEffect(() => guardLeaving(() => (latest.current.size === 0 ? undefined : words.leave)), []);
  const changed = rows.filter(row => edits.has(keyOf(row)));
  const needsLook = changed.some(({ isSafe }) => !isSafe);
  const faults = data === undefined ? 0 : countFaults(edits, data, fields);
  const send = async () => {
    setBusy(true);
    try {
      const documents = changed.map(row => {
        const { share, batchId, index } = row;
        return { share, batchId, index, values: Object.fromEntries(edits.get(keyOf(row)) ?? []) };
      });
      onEnd(tellDone(await ask('POST /api/try-again', { body: { documents, dryRun: false, hasLooked } })));
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setRefused(error.message);
      setBusy(false);
    }
  };
  const edit = (row: ApartRow, header: string, before: string, text: string) =>
    setEdits(all => {
      const ofRow = new Map(all.get(keyOf(row)));
      if (text === before) ofRow.delete(header);
      else ofRow.set(header, text);
      const next = new Map(all);
      if (ofRow.size === 0) next.delete(keyOf(row));
      else next.set(keyOf(row), ofRow);
      return next;
    });
  const close = () => {
    if (edits.size === 0 || confirm(words.leave)) onEnd(undefined);
  };
  return (
    <Dialog title={words.title(first?.jobName ?? '')} isWide onClose={close}>
      <div class="apart-plan">
        <p>{words.how}</p>
        {refused === undefined ? null : (
          <p role="alert" class="of-set-apart">
            {refused}
          </p>
        )}
        {data === undefined ? (
          <Pending problem={problem} isSlow={isSlow} again={again} isBoxed={false} />
        ) : (
          <ValuesGrid columns={data} rows={rows} fields={fields} edits={edits} onEdit={edit} />
        )}
        {needsLook ? (
          <LookedBox isLooked={hasLooked} onChange={setLooked} words={texts.apart.again.hasLooked} />
        ) : null}
      </div>
      <p class="actions apart-ends">
        <span class="quiet" role="status">
          {changed.length === 0 ? words.none : words.changed(tell(changed.length), changed.length === 1)}{' '}
          {faults === 0 ? null : <span class="of-set-apart">{words.faults(tell(faults), faults === 1)}</span>}
        </span>
        <SendButton
          class="primary"
          isOff={isBusy || changed.length === 0 || (needsLook && !hasLooked)}
          onClick={() => void send()}
        >
          {words.act(tell(changed.length))}
        </SendButton>
      </p>
    </Dialog>
  );
}

function tell(count: number): string {
  return tellNumber(count, reader());
}
