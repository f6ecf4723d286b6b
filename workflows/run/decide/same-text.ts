// Texts that people write, compared with what the service has kept of them.

/** Whether two texts say the same: the service may keep line ends and the space around a text, or not. */
export function isSameText(left: string, right: string): boolean {
  return toComparable(left) === toComparable(right);
}

/** The same for all texts that say the same. */
export function toComparable(text: string): string {
  return text.replace(/\r\n?/g, '\n').trim().normalize('NFC');
}
