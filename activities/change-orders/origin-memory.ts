// Which origin id a change order carries, where its list does not say: shown once, and
// again only when it was changed.
import type { ChangeOrder, ChangeOrderKind } from '../service/endpoints/change-orders';

const MOST = 20_000;

/** Of one process; it saves requests and decides nothing, for whoever is found by it is shown once more. */
export class OriginMemory {
  readonly #known = new Map<string, string>();

  /** undefined: it has to be shown. */
  recall(kind: ChangeOrderKind, listed: ChangeOrder): string | undefined {
    const key = keyOf(kind, listed);
    return key === undefined ? undefined : this.#known.get(key);
  }

  note(kind: ChangeOrderKind, shown: ChangeOrder): void {
    const key = keyOf(kind, shown);
    const originId = shown.originId ?? '';
    // A potential change order without one may be marked as ours within the same
    // second, and must then be seen.
    if (key === undefined || (kind === 'potential' && originId === '')) return;
    if (this.#known.size >= MOST) this.#known.clear();
    this.#known.set(key, originId);
  }
}

function keyOf(kind: ChangeOrderKind, { id, updatedAt }: ChangeOrder): string | undefined {
  return updatedAt === null ? undefined : `${kind}/${id}/${updatedAt}`;
}
