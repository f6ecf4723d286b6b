// The sum of a job as one bar: the parts in the order of the sum, each wide enough to be seen. Pure.
import { countAll, OUTCOMES, type Outcome, type Tally, tellSum } from '../words/outcome-words';

export interface BarPart {
  readonly outcome: Outcome;
  readonly x: number;
  readonly width: number;
}

/** As wide as the page at its widest: one unit is a pixel there. */
export const BAR_WIDTH = 880;
const GAP = 2;
/** So that one document of 5,000 is seen. */
const LEAST = 4;
const HEIGHT = 10;

/** The parts from left to right; they fill the bar, and none is narrower than `LEAST`. */
export function planBar(tally: Tally, width: number = BAR_WIDTH): readonly BarPart[] {
  const all = countAll(tally);
  const shown = OUTCOMES.filter(outcome => tally[outcome] > 0);
  const room = width - GAP * (shown.length - 1) - LEAST * shown.length;
  let x = 0;
  return shown.map(outcome => {
    const part = { outcome, x: round(x), width: round(LEAST + (room * tally[outcome]) / all) };
    x += part.width + GAP;
    return part;
  });
}

/** The style that the bar needs, once in a page. */
export const BAR_STYLE =
  'svg.tally{display:block;width:100%;height:10px;border-radius:2px}' +
  OUTCOMES.filter(outcome => outcome !== 'already-there')
    .map(outcome => `.bar-${outcome}{fill:var(--${outcome}-fill)}`)
    .join('') +
  '.bar-in-line{opacity:.55}.bar-already-there{fill:url(#hatch)}' +
  '.hatch-ground{fill:var(--through-soft)}.hatch-line{stroke:var(--through-fill);stroke-width:3}';

/** One picture whose name is the sum; the numbers stand beside it as text. */
export function drawBar(tally: Tally): string {
  const rects = planBar(tally).map(
    ({ outcome, x, width }) =>
      `<rect class="bar-${outcome}" x="${x}" y="0" width="${width}" height="${HEIGHT}" rx="1.5"/>`,
  );
  const hatch =
    '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">' +
    '<rect class="hatch-ground" width="6" height="6"/><path class="hatch-line" d="M0 0v6"/></pattern></defs>';
  return (
    `<svg class="tally" viewBox="0 0 ${BAR_WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img"` +
    ` aria-label="${tellSum(tally)}">${hatch}${rects.join('')}</svg>`
  );
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
