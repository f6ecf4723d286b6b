// Begins an upload under an id that is drawn here, once for what was chosen: where the answer is lost, the
// second try means the same upload, and there are never two of it.
import type { UploadDetail } from '../../../contract/drop';
import { ask } from '../../shell/api';
import { drawId } from '../../shell/draw-id';
import type { Choice } from './chosen-files';

/** Ids of uploads whose beginning was not answered yet, by what was asked. */
const drawn = new Map<string, string>();

/** @throws ApiProblem when it is refused, or not answered. */
export async function beginUpload(share: string, { name, files }: Choice): Promise<UploadDetail> {
  const all = files.map(({ path, file }) => ({
    path,
    sizeBytes: file.size,
    modifiedMs: file.lastModified,
  }));
  const asked = JSON.stringify([share, name, all]);
  const upload = drawn.get(asked) ?? drawId();
  drawn.set(asked, upload);
  const begun = await ask('POST /api/uploads/:share', {
    params: { share },
    body: { upload, name, files: all },
  });
  // Begun: whoever sends the same files once more means another job.
  drawn.delete(asked);
  return begun;
}

/** Whether this window asked to begin it, and was not told that it was begun. */
export function wasDrawnHere(upload: string): boolean {
  return [...drawn.values()].includes(upload);
}
