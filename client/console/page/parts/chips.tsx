// Filters of which one is chosen: legend and filter at once.
import type { ComponentChildren, JSX } from 'preact';
import { tellNumber } from '../shell/format';
import { reader } from '../shell/reader';

interface Chip {
  readonly value: string;
  readonly label: ComponentChildren;
  readonly count?: number;
  readonly tone?: string;
}

interface ChipsProps {
  readonly label: string;
  readonly chips: readonly Chip[];
  readonly chosen: string;
  readonly onChoose: (value: string) => void;
}

export function Chips({ label, chips, chosen, onChoose }: ChipsProps): JSX.Element {
  return (
    <fieldset class="chips">
      <legend class="unseen">{label}</legend>
      {chips.map(({ value, label: text, count, tone }) => (
        <button
          key={value}
          type="button"
          class={`chip ${tone ?? ''}`}
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
        >
          {text}
          {count === undefined ? null : <b class="nums">{tellNumber(count, reader())}</b>}
        </button>
      ))}
    </fieldset>
  );
}
