// Which origin id a change order carries, where its list does not say: each is read by
// itself once, and again only when it was changed.
import type { ProjectRef } from '../../workflows/contract';
import type { ChangeOrder, ChangeOrderKind } from '../service/endpoints/change-orders';

const MOST = 20_000;

/** In memory. It only saves requests: what it finds is read by itself again before it counts as found. */
export class OriginMemory {
  readonly #known = new Map<string, string>();

  /** undefined: it has to be read by itself. */
  recall(project: ProjectRef, kind: ChangeOrderKind, listed: ChangeOrder): string | undefined {
    const key = keyOf(project, kind, listed);
    return key === undefined ? undefined : this.#known.get(key);
  }

  note(project: ProjectRef, kind: ChangeOrderKind, shown: ChangeOrder): void {
    const key = keyOf(project, kind, shown);
    const originId = shown.originId ?? '';
    // A potential change order without an origin id may be marked as ours within the
    // second that `updatedAt` names, and must then be seen.
    if (key === undefined || (kind === 'potential' && originId === '')) return;
    if (this.#known.size >= MOST) this.#known.clear();
    this.#known.set(key, originId);
  }
}

/** With the project: nothing says that no other one has a change order of the same id. */
function keyOf(
  { companyId, projectId }: ProjectRef,
  kind: ChangeOrderKind,
  { id, updatedAt }: ChangeOrder,
): string | undefined {
  return updatedAt === null ? undefined : [companyId, projectId, kind, id, updatedAt].join('/');
}
