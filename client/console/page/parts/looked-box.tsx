// What a person says of documents that may have a revision by now, before they are sent again.
import type { JSX } from 'preact';

interface LookedBoxProps {
  readonly isLooked: boolean;
  readonly onChange: (isLooked: boolean) => void;
  /** What the person says by ticking it. */
  readonly words: string;
}

export function LookedBox({ isLooked, onChange, words }: LookedBoxProps): JSX.Element {
  return (
    <label class="apart-looked">
      <input
        type="checkbox"
        class="check"
        checked={isLooked}
        onChange={event => onChange(event.currentTarget.checked)}
      />
      {words}
    </label>
  );
}
