/** Puts it in as what was used last. Where that is one too many, what was used longest ago goes. */
export function keepFew<Key, Value>(all: Map<Key, Value>, key: Key, value: Value, most: number): void {
  all.delete(key);
  all.set(key, value);
  for (const oldest of all.keys()) {
    if (all.size <= most) return;
    all.delete(oldest);
  }
}
