// A name that somebody else has written: text, in its own direction, with what is hidden in it shown.
import type { JSX } from 'preact';
import { texts } from '../shell/texts';
import { dotEnds, splitEnd, toPieces } from './hostile';

function Pieces({ text }: { readonly text: string }): JSX.Element {
  return (
    <>
      {toPieces(text).map((piece, at) =>
        'sign' in piece ? (
          <span key={at} class="hidden-sign" title={texts.common.hidden(piece.sign)}>
            {piece.sign}
          </span>
        ) : (
          piece.text
        ),
      )}
    </>
  );
}

/** `isCut`: on one line, cut in the middle so that the ending stays; else it wraps anywhere. */
export function Name({
  text,
  isCut = false,
}: {
  readonly text: string;
  readonly isCut?: boolean;
}): JSX.Element {
  const dotted = dotEnds(text);
  const [front, end] = isCut ? splitEnd(dotted) : [dotted, ''];
  if (end === '')
    return (
      <bdi class={isCut ? 'name cut' : 'name wraps'} title={isCut ? plain(text) : undefined}>
        <Pieces text={dotted} />
      </bdi>
    );
  return (
    <bdi class="name in-two" title={plain(text)}>
      <span class="cut">
        <Pieces text={front} />
      </span>
      <span class="end">
        <Pieces text={end} />
      </span>
    </bdi>
  );
}

/** A sentence in which such a name may stand. */
export function Told({ text }: { readonly text: string }): JSX.Element {
  return (
    <bdi>
      <Pieces text={text} />
    </bdi>
  );
}

/** For a tooltip, which can hold no elements: hidden signs appear as their names in brackets. */
export function plain(text: string): string {
  return toPieces(text)
    .map(piece => ('sign' in piece ? `[${piece.sign}]` : piece.text))
    .join('');
}
