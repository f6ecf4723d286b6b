// Which origin id a change order carries, where its list does not say: each is read by
// itself once, and again only when it was changed.
import type { ChangeOrder, ChangeOrderKind } from '../service/endpoints/change-orders';

const MOST = 20_000;

/** In memory. It only saves requests: what it finds is read by itself again before it counts as found. */
export class OriginMemory {
  readonly #known = new Map<string, string>();

  /** undefined: it has to be read by itself. */
  recall(kind: ChangeOrderKind, listed: ChangeOrder): string | undefined {
    const key = keyOf(kind, listed);
    return key === undefined ? undefined : this.#known.get(key);
  }

  note(kind: ChangeOrderKind, shown: ChangeOrder): void {
    const key = keyOf(kind, shown);
    const originId = shown.originId ?? '';
    // A potential change order without an origin id may be marked as ours within the
    // second that `updatedAt` names, and must then be seen.
    if (key === undefined || (kind === 'potential' && originId === '')) return;
    if (this.#known.size >= MOST) this.#known.clear();
    this.#known.set(key, originId);
  }
}

function keyOf(kind: ChangeOrderKind, { id, updatedAt }: ChangeOrder): string | undefined {
  return updatedAt === null ? undefined : `${kind}/${id}/${updatedAt}`;
}
