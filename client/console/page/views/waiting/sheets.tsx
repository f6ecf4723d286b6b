// What waits as a sheet, and a sheet that answers: its values go into the grid, where a person looks and
// saves.
import { useRef } from 'preact/hooks';
import type { SheetTold } from '../../../contract/waiting';
import { Icon } from '../../parts/icons';
import { ApiProblem, sendFile } from '../../shell/api';
import { href } from '../../shell/router';
import { texts as catalogue } from '../../shell/texts';

const texts = catalogue.waiting;

interface SheetsProps {
  readonly shares: readonly string[];
  readonly mayAnswer: (share: string) => boolean;
  readonly take: (told: readonly SheetTold[]) => void;
  readonly tell: (text: string) => void;
}

export function Sheets({ shares, mayAnswer, take, tell }: SheetsProps) {
  const input = useRef<HTMLInputElement>(null);
  const answerable = shares.filter(mayAnswer);
  const send = async (file: File) => {
    const told: SheetTold[] = [];
    const problems: string[] = [];
    for (const share of answerable) {
      const path = `/api/waiting/sheet/${encodeURIComponent(share)}?name=${encodeURIComponent(file.name)}`;
      try {
        told.push((await sendFile(path, file)) as SheetTold);
      } catch (error) {
        if (!(error instanceof ApiProblem)) throw error;
        problems.push(answerable.length === 1 ? error.message : `${share}: ${error.message}`);
      }
    }
    // A sheet that says nothing to one share may be that of another.
    const isOne = told.some(({ rows, refused }) => rows.length + refused.length > 0);
    if (isOne || problems.length === 0) take(told);
    else tell(problems.join(' '));
  };
  return (
    <div class="actions">
      {shares.map(share => (
        <a
          key={share}
          class="button"
          href={href(`/api/waiting/sheet/${encodeURIComponent(share)}`)}
          download=""
        >
          <Icon name="download" />
          {shares.length === 1 ? texts.asSheet : texts.asSheetOf(share)}
        </a>
      ))}
      {answerable.length > 0 && (
        <>
          <input
            ref={input}
            type="file"
            hidden
            accept=".xlsx,.csv"
            onChange={event => {
              const [file] = event.currentTarget.files ?? [];
              if (file !== undefined) void send(file);
              event.currentTarget.value = '';
            }}
          />
          <button type="button" class="button" onClick={() => input.current?.click()}>
            <Icon name="upload" />
            {texts.withSheet}
          </button>
        </>
      )}
    </div>
  );
}
