// A document's number: what all rows share is grey, the rest bold; one text for copying and for screen
// readers.
import type { JSX } from 'preact';
import { toPieces } from './hostile';
import { Name } from './name';

interface NumberProps {
  readonly number: string;
  readonly shared?: string;
}

export function DocumentNumber({ number, shared = '' }: NumberProps): JSX.Element {
  const isPlain = toPieces(number).every(piece => 'text' in piece && piece.text === number);
  if (!isPlain) return <Name text={number} isCut />;
  const hasShared = shared !== '' && number.startsWith(shared) && number.length > shared.length;
  return (
    <bdi class="number" title={number}>
      {hasShared ? <span class="shared">{shared}</span> : null}
      <b>{hasShared ? number.slice(shared.length) : number}</b>
    </bdi>
  );
}
