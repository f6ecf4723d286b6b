// Takes a mended file for one document that was set apart: it is sent, and goes on as that document, with its
// name and its row.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApartRow, ReplacedTold } from '../../../contract/apart';
import { Dialog } from '../../parts/dialog';
import { LookedBox } from '../../parts/looked-box';
import { Name } from '../../parts/name';
import { SendButton } from '../../parts/send-button';
import { ApiProblem } from '../../shell/api';
import { tellNumber } from '../../shell/format';
import { reader } from '../../shell/reader';
import { ELSEWHERE } from '../../shell/send-bytes';
import { texts } from '../../shell/texts';
import { sendReplacement } from './send-replacement';

interface FileProps {
  readonly row: ApartRow;
  /** Called at the end, with sentences that tell what was done; undefined where nothing was. */
  readonly onEnd: (told: readonly string[] | undefined) => void;
}

export function FileDialog({ row, onEnd }: FileProps): JSX.Element {
  const words = texts.apart.file;
  const [file, setFile] = useState<File | undefined>(undefined);
  const [hasLooked, setLooked] = useState(false);
  /** In per cent; undefined while nothing is sent. */
  const [done, setDone] = useState<number | undefined>(undefined);
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const whole = useRef<string | undefined>(undefined);
  const closed = useRef(new AbortController());
  useEffect(() => () => closed.current.abort(), []);
  const isBusy = done !== undefined;
  const send = async () => {
    if (file === undefined) return;
    setRefused(undefined);
    setDone(0);
    const { signal } = closed.current;
    try {
      const told = await sendReplacement(row, {
        file,
        hasLooked,
        signal,
        onProgress: setDone,
        whole: whole.current,
        onWhole: upload => {
          whole.current = upload;
        },
      });
      if (told !== undefined) onEnd(tellReplaced(row, told));
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Error)) throw error;
      const isElsewhere = error instanceof ApiProblem && error.status === ELSEWHERE;
      setRefused(isElsewhere ? words.elsewhere : error.message);
      setDone(undefined);
    }
  };
  return (
    <Dialog title={words.title} onClose={() => onEnd(undefined)}>
      <div class="apart-plan">
        <p>
          <Name text={row.file} />
        </p>
        <p>{words.how}</p>
        <label class="apart-field">
          <span>{words.file}</span>
          <input
            type="file"
            disabled={isBusy}
            onChange={event => {
              setFile(event.currentTarget.files?.[0]);
              whole.current = undefined;
              setRefused(undefined);
            }}
          />
        </label>
        {row.isSafe ? null : <LookedBox isLooked={hasLooked} onChange={setLooked} words={words.hasLooked} />}
        <p role="status">{done === undefined ? '' : words.sending(tellNumber(done, reader()))}</p>
        <div role="alert" class="of-set-apart">
          {refused}
        </div>
      </div>
      <p class="actions apart-ends">
        <button type="button" class="button" onClick={() => onEnd(undefined)}>
          {words.keep}
        </button>
        <SendButton
          class="primary"
          isOff={isBusy || file === undefined || (!row.isSafe && !hasLooked)}
          onClick={() => void send()}
        >
          {words.act}
        </SendButton>
      </p>
    </Dialog>
  );
}

function tellReplaced({ number, file }: ApartRow, { outcome, told }: ReplacedTold): readonly string[] {
  const words = texts.apart.file;
  const name = number ?? file;
  if (outcome === 'goes') return [words.goes(name)];
  return [outcome === 'waits' ? words.waits(name) : words.stays(name), ...told];
}
