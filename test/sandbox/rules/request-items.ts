/** The elements of a request, as faults tell them apart; and the bound on their number. */
import type { RequestItem } from '../faults/fault-book';
import { invalidProperty } from '../http/answer';
import type { RouteRequest } from '../http/route';
import type { World } from '../world';

/** Batch size that must not be exceeded (specification, Limits). */
const MOST_ITEMS = 100;

/** Items that carry an upload id; reads a body that nobody has checked yet. */
export function uploadItems(world: World, body: unknown, list: string): RequestItem[] {
  return elementsOf(body, list).map((element, position) => {
    const uploadId = element.id;
    if (typeof uploadId !== 'string') return { position };
    const fileName = world.uploads.get(uploadId)?.fileName;
    return { position, uploadId, ...(fileName === undefined ? {} : { fileName }) };
  });
}

/** Items that carry a file name. */
export function namedItems(body: unknown, list: string): RequestItem[] {
  return elementsOf(body, list).map((element, position) => {
    const fileName = element.file_name;
    return typeof fileName === 'string' ? { position, fileName } : { position };
  });
}

/** Refuses more than 100 elements, and records that somebody tried. */
export function refuseTooMany(world: World, request: RouteRequest, list: string): void {
  const count = elementsOf(request.body, list).length;
  if (noticeTooMany(world, request, count))
    throw invalidProperty([{ field: list, message: `at most ${MOST_ITEMS} elements` }]);
}

/** Records more than 100 elements; answers whether there were. */
export function noticeTooMany(world: World, request: RouteRequest, count: number): boolean {
  if (count <= MOST_ITEMS) return false;
  world.log.violation('too-many-items', request.route, request.number, { count });
  return true;
}

/** Records ids that come twice in one request; they are served all the same. */
export function noticeRepeatedIds(world: World, request: RouteRequest, ids: readonly string[]): void {
  if (new Set(ids).size === ids.length) return;
  world.log.violation('same-item-twice', request.route, request.number);
}

function elementsOf(body: unknown, list: string): Record<string, unknown>[] {
  const elements = (body as Record<string, unknown> | null | undefined)?.[list];
  if (!Array.isArray(elements)) return [];
  return elements.map((element: unknown) =>
    typeof element === 'object' && element !== null ? (element as Record<string, unknown>) : {},
  );
}
