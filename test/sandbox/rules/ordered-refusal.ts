/** Refusals of a whole request that were ordered for the sake of one of its items. */
import type { RequestItem } from '../faults/fault-book';
import { errorAnswer, Refusal } from '../http/answer';
import type { RouteRequest } from '../http/route';
import type { World } from '../world';

/** Throws the refusal ordered for one of the items, if any; called before anything is changed. */
export function refuseForItem(
  world: World,
  request: RouteRequest,
  items: readonly RequestItem[],
  status = 400,
): void {
  for (const item of items) {
    const strike = world.faults.takeForItem(request.route, ['request-refusal'], item);
    if (strike === null) continue;
    const { action } = strike;
    const upload = item.uploadId === undefined ? undefined : world.uploads.get(item.uploadId);
    // After this one the right thing is to upload again and link the new file.
    if (action.reasonCode === 'FILE_KEY_MISMATCH' && upload !== undefined) {
      world.uploads.put({ ...upload, mayBeRelinked: true });
    }
    const named = action.named ? { source: item.uploadId ?? item.fileName } : {};
    const detail = {
      reason_code: action.reasonCode,
      message: 'One item is refused',
      ...named,
      ...action.detail,
    };
    throw new Refusal(errorAnswer(action.status ?? status, [detail]));
  }
}
