// What a person has chosen for this browser: kept there, and nowhere else.
import { signal } from '@preact/signals';

export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark';
  readonly density: 'compact' | 'normal' | 'roomy';
  readonly hour: 'locale' | 'h24' | 'h12';
  /** Keys without Ctrl: `N`, `A`, `/`. */
  readonly singleKeys: boolean;
  /** In the table of a job's documents: columns of ours that are hidden, and of registers that are shown. */
  readonly hiddenColumns: readonly string[];
  readonly ownColumns: readonly string[];
}

const STANDARD: Preferences = {
  theme: 'system',
  density: 'normal',
  hour: 'locale',
  singleKeys: true,
  hiddenColumns: [],
  ownColumns: [],
};
const PLACE = 'drawbridge';

export const preferences = signal<Preferences>(read());

function read(): Preferences {
  try {
    return { ...STANDARD, ...(JSON.parse(localStorage.getItem(PLACE) ?? '{}') as Partial<Preferences>) };
  } catch {
    return STANDARD;
  }
}

export function prefer(change: Partial<Preferences>): void {
  preferences.value = { ...preferences.value, ...change };
  try {
    localStorage.setItem(PLACE, JSON.stringify(preferences.value));
  } catch {
    // A browser that keeps nothing still shows it until it is closed.
  }
  applyPreferences();
}

/** Sets them on the root of the document: the style sheets ask for these two. */
export function applyPreferences(): void {
  const { theme, density } = preferences.value;
  document.documentElement.dataset.theme = theme;
  document.documentElement.dataset.density = density;
}
