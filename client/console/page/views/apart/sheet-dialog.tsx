// A corrected receipt goes up, and it is said at once what was taken of it and why not the rest.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { GivenSheetTold } from '../../../contract/apart';
import { Dialog } from '../../parts/dialog';
import { ApiProblem, sendFile } from '../../shell/api';
import { tellNumber } from '../../shell/format';
import { may, me } from '../../shell/me';
import { reader } from '../../shell/reader';
import { texts } from '../../shell/texts';

export function SheetDialog({
  onEnd,
}: {
  readonly onEnd: (told: readonly string[] | undefined) => void;
}): JSX.Element {
  const words = texts.apart.sheet;
  const shares = Object.keys(me.value?.roles ?? {}).filter(share => may('answer', share));
  const [share, setShare] = useState(shares[0] ?? '');
  const [file, setFile] = useState<File | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<readonly string[]>([]);
  const send = async () => {
    if (file === undefined) return;
    setBusy(true);
    setRefused([]);
    try {
      const path = `/api/sheets/${encodeURIComponent(share)}?name=${encodeURIComponent(file.name)}`;
      onEnd(tellSheet((await sendFile(path, file)) as GivenSheetTold));
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setRefused([error.message, ...error.faults.map(({ text }) => text)]);
      setBusy(false);
    }
  };
  return (
    <Dialog title={words.title} onClose={() => onEnd(undefined)}>
      <div class="apart-plan">
        <p>{words.how}</p>
        {shares.length < 2 ? null : (
          <label class="apart-field">
            <span>{words.share}</span>
            <select class="choice" value={share} onChange={event => setShare(event.currentTarget.value)}>
              {shares.map(name => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        )}
        <label class="apart-field">
          <span>{words.file}</span>
          <input
            type="file"
            accept=".xlsx,.csv"
            onChange={event => {
              setFile(event.currentTarget.files?.[0]);
              setRefused([]);
            }}
          />
        </label>
        <div role="alert" class="of-set-apart">
          {refused.map(line => (
            <p key={line}>{line}</p>
          ))}
        </div>
      </div>
      <p class="actions apart-ends">
        <button
          type="button"
          class="button primary"
          disabled={isBusy || file === undefined}
          onClick={() => void send()}
        >
          {isBusy ? words.sending : words.act}
        </button>
      </p>
    </Dialog>
  );
}

function tellSheet({ taken, told, waits, jobName, path }: GivenSheetTold): readonly string[] {
  const words = texts.apart.sheet;
  return [
    ...(taken > 0 ? [words.taken(tellNumber(taken, reader()), taken === 1, jobName)] : []),
    ...(taken === 0 && waits === null ? [words.takenNone(jobName)] : []),
    ...(waits === null ? [] : [words.waits(waits)]),
    ...told,
    words.saved(path),
  ];
}
