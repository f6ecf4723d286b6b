// The sign of an outcome: told by its shape, not by its colour alone.
import type { JSX } from 'preact';
import { OUTCOME_WORDS } from '../../../../activities/registers/words/outcome-words';
import type { ShownOutcome } from '../../contract/common';

/** 14 px. Filled: carried to an end, or needs a person; rings: nothing sent, or still moving. */
const SHAPES: Readonly<Record<ShownOutcome, JSX.Element>> = {
  through: (
    <>
      <circle cx="8" cy="8" r="7.2" fill="currentColor" />
      <path class="on" d="M4.8 8.3l2.2 2.2 4.2-4.6" />
    </>
  ),
  'already-there': (
    <>
      <circle class="ring" cx="8" cy="8" r="6.4" />
      <path class="ring" d="M5.2 6.5h5.6M5.2 9.5h5.6" />
    </>
  ),
  'on-the-way': (
    <>
      <circle class="ring" cx="8" cy="8" r="6.4" />
      <path class="ring" d="M4.9 8h6M8.6 5.6L11 8l-2.4 2.4" />
    </>
  ),
  'in-line': (
    <>
      <circle class="ring" cx="8" cy="8" r="6.4" stroke-dasharray="2.4 1.62" />
      <path class="ring" d="M8 5v3.2l2 1.2" />
    </>
  ),
  held: (
    <>
      <rect x="1" y="1" width="14" height="14" rx="3.4" fill="currentColor" />
      <path class="on" d="M6 5.2v5.6M10 5.2v5.6" />
    </>
  ),
  'set-apart': (
    <>
      <path fill="currentColor" d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1z" />
      <path class="on" d="M5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8" />
    </>
  ),
};

export function Sign({ outcome }: { readonly outcome: ShownOutcome }): JSX.Element {
  return (
    <svg
      class={`sign of-${outcome}`}
      width="14"
      height="14"
      viewBox="0 0 16 16"
      fill="none"
      aria-hidden="true"
    >
      {SHAPES[outcome]}
    </svg>
  );
}

/** The sign with its word. */
export function OutcomeWord({ outcome }: { readonly outcome: ShownOutcome }): JSX.Element {
  return (
    <span class={`outcome of-${outcome}`}>
      <Sign outcome={outcome} />
      {OUTCOME_WORDS[outcome].word}
    </span>
  );
}
