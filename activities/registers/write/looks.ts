// How the cells look that we write. Every look is text (number format @), so that 0042 stays 0042 whatever a
// person types over it. Colours are those of the page. Pure.
import type { CellStyle } from 'hucre/xlsx';

const INK = '161A20';
const QUIET_INK = '48515C';
const LINE = 'E3E6EA';

/** What a row or a cell is to its reader: well, the same as before, waiting for a person, wrong, moving. */
export const TONES = ['plain', 'well', 'same', 'waits', 'wrong', 'moves'] as const;
export type Tone = (typeof TONES)[number];

export type Look =
  | 'text'
  | 'wrapped'
  | 'quiet'
  | 'title'
  | 'header'
  | 'header-always'
  | 'header-sometimes'
  | 'band'
  | 'band-strong'
  /** The word of a row, as `well-word`. */
  | `${Tone}-word`
  /** The other cells of a row, as `well-cell`; those with sentences, as `well-note`. */
  | `${Tone}-cell`
  | `${Tone}-note`;

/** RGB of each tone: of its text, of a soft ground, of a ground that is seen among soft ones. */
export const TONE_COLOURS: Readonly<Record<Tone, { ink: string; soft: string; spot: string }>> = {
  plain: { ink: INK, soft: 'FFFFFF', spot: 'EEF0F3' },
  well: { ink: '17703F', soft: 'E7F4ED', spot: 'BFE3CE' },
  same: { ink: '17703F', soft: 'F4F8F6', spot: 'DCE9E2' },
  waits: { ink: '875000', soft: 'FDF3DF', spot: 'F7CF80' },
  wrong: { ink: 'AB281D', soft: 'FCECEA', spot: 'F4B3AC' },
  moves: { ink: '43566F', soft: 'E9EEF4', spot: 'C6D2E0' },
};

/** The style of a cell of ours. */
export function lookOf(look: Look): CellStyle {
  switch (look) {
    case 'text':
      return styleOf({});
    case 'wrapped':
      return styleOf({ wrap: true });
    case 'quiet':
      return styleOf({ ink: QUIET_INK });
    case 'title':
      return styleOf({ bold: true, size: 16 });
    case 'header':
      return styleOf({ bold: true, ground: 'EEF0F3', wrap: true, middle: true, rule: '858F9B' });
    case 'header-always':
      return styleOf({
        bold: true,
        ink: 'FFFFFF',
        ground: '1B222C',
        wrap: true,
        middle: true,
        rule: '1B222C',
      });
    case 'header-sometimes':
      return styleOf({
        bold: true,
        ink: 'FFFFFF',
        ground: '61728A',
        wrap: true,
        middle: true,
        rule: '61728A',
      });
    case 'band':
      return styleOf({ ink: QUIET_INK, size: 9, wrap: true });
    case 'band-strong':
      return styleOf({ bold: true, size: 9, wrap: true });
    default:
      return toneStyle(look);
  }
}

/** A ground for a cell that keeps all else that its owner gave it. */
export function groundOf(rgb: string): NonNullable<CellStyle['fill']> {
  return { type: 'pattern', pattern: 'solid', fgColor: { rgb } };
}

function toneStyle(look: `${Tone}-word` | `${Tone}-cell` | `${Tone}-note`): CellStyle {
  const [tone, part] = look.split('-') as [Tone, 'word' | 'cell' | 'note'];
  const { ink, soft } = TONE_COLOURS[tone];
  const rule = LINE;
  if (part === 'word') return styleOf({ bold: true, ink, ground: soft, rule });
  return styleOf({ ground: soft, rule, wrap: part === 'note' });
}

interface Wish {
  readonly bold?: boolean;
  readonly ink?: string;
  readonly size?: number;
  readonly ground?: string;
  readonly wrap?: boolean;
  readonly rule?: string;
  readonly middle?: boolean;
}

function styleOf({
  bold = false,
  ink = INK,
  size = 11,
  ground,
  wrap = false,
  rule,
  middle = false,
}: Wish): CellStyle {
  return {
    numFmt: '@',
    font: { name: 'Calibri', size, bold, color: { rgb: ink } },
    alignment: { vertical: middle ? 'center' : 'top', ...(wrap ? { wrapText: true } : {}) },
    ...(ground === undefined ? {} : { fill: groundOf(ground) }),
    ...(rule === undefined ? {} : { border: { bottom: { style: 'thin', color: { rgb: rule } } } }),
  };
}
