// What screen readers are told of changes: politely.
import { signal } from '@preact/signals';

export const announced = signal('');

/** At once: the answer to something that the person did just now. */
export function announceNow(text: string): void {
  announced.value = announced.value === text ? `${text} ` : text;
}
