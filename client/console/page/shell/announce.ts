// What screen readers are told of changes: politely, and at most every 30 s.
import { signal } from '@preact/signals';

export const announced = signal('');

const EVERY_MS = 30_000;
let last = 0;
let next: ReturnType<typeof setTimeout> | undefined;

export function announce(text: string): void {
  clearTimeout(next);
  next = setTimeout(
    () => {
      last = Date.now();
      announced.value = text;
    },
    Math.max(0, last + EVERY_MS - Date.now()),
  );
}

/** At once: the answer to what the person did just now. A space behind it has the same text read again. */
export function announceNow(text: string): void {
  announced.value = announced.value === text ? `${text} ` : text;
}
