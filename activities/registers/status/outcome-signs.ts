// The signs of the outcomes as SVG: they differ by shape, in black and white and at 14 pixels. Filled:
// carried to an end, or needs a person. Rings: nothing was sent, or still moving. Pure.
import { OUTCOMES, type Outcome } from '../words/outcome-words';

/** On a ground of 16 by 16, in the colour of the text around it; `knock` is cut out of what is filled. */
const SHAPES: Readonly<Record<Outcome, string>> = {
  through:
    '<circle cx="8" cy="8" r="7" fill="currentColor"/><path class="knock" d="M4.6 8.2l2.3 2.3 4.5-4.7"/>',
  'already-there':
    '<circle cx="8" cy="8" r="6.1" class="line"/><path class="line" d="M5.2 6.6h5.6M5.2 9.4h5.6"/>',
  'on-the-way':
    '<circle cx="8" cy="8" r="6.1" class="line"/><path class="line" d="M4.9 8h5.6M8.4 5.8L10.7 8l-2.3 2.2"/>',
  'in-line': '<circle cx="8" cy="8" r="6.1" class="line dashed"/><path class="line" d="M8 4.9V8l2.1 1.5"/>',
  held: '<rect x="1.5" y="1.5" width="13" height="13" rx="2.6" fill="currentColor"/><path class="knock" d="M6 5.2v5.6M10 5.2v5.6"/>',
  'set-apart':
    '<path fill="currentColor" d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1z"/><path class="knock" d="M5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8"/>',
};

/** The style that the signs need, once in a page; `--surface` is what lies behind them. */
export const SIGN_STYLE =
  'svg.sign{width:14px;height:14px;flex:none}' +
  '.knock{fill:none;stroke:var(--surface);stroke-width:1.9;stroke-linecap:round;stroke-linejoin:round}' +
  '.line{fill:none;stroke:currentColor;stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round}' +
  '.dashed{stroke-dasharray:2.4 2.4}';

/** Drawn once and hidden; `signOf` shows them. */
export function defineSigns(): string {
  const symbols = OUTCOMES.map(
    outcome => `<symbol id="${outcome}" viewBox="0 0 16 16">${SHAPES[outcome]}</symbol>`,
  );
  return `<svg width="0" height="0" aria-hidden="true">${symbols.join('')}</svg>`;
}

/** Always beside its word: a screen reader passes over the sign. */
export function signOf(outcome: Outcome): string {
  return `<svg class="sign" aria-hidden="true"><use href="#${outcome}"/></svg>`;
}
