// The reader of this browser, and the time that passes while they look.
import { signal } from '@preact/signals';
import { chooseLocale, type Reader } from './format';
import { preferences } from './preferences';

const MINUTE_MS = 60_000;

/** The present time, renewed every minute: "in 12 min" goes on by itself. */
export const now = signal(new Date());

export function startClock(): void {
  const tick = () => {
    now.value = new Date();
    setTimeout(tick, MINUTE_MS - (Date.now() % MINUTE_MS));
  };
  setTimeout(tick, MINUTE_MS - (Date.now() % MINUTE_MS));
}

export function reader(): Reader {
  return { locale: LOCALE, zone: ZONE, hour: preferences.value.hour };
}

const LOCALE = chooseLocale(navigator.languages);
export const ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;
