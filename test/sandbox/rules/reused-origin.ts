/** Integrations mark what they make so that it is found again: making it twice is what the mark prevents. */
import type { RouteRequest } from '../http/route';
import type { World } from '../world';

/** `alike`: those that are there, each with its mark; of these the new one's own may be none. */
export function noticeOrigin(
  world: World,
  request: RouteRequest,
  kind: string,
  origin: unknown,
  alike: readonly { readonly id: string; readonly origin: unknown }[],
): void {
  if (origin === undefined || origin === null || origin === '') return;
  const other = alike.find(one => one.origin === origin);
  if (other !== undefined)
    world.log.violation('origin-id-reused', request.route, request.number, { kind, id: other.id });
}
