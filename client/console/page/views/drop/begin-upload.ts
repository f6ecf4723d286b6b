// Begins an upload under an id that is drawn here, once for what was chosen: where the answer is lost, the
// second try means the same upload, and there are never two of it.
import type { UploadDetail } from '../../../contract/drop';
import { ask } from '../../shell/api';
import { drawId } from '../../shell/draw-id';
import type { Choice } from './chosen-files';

/** Of beginnings that were not answered, by what was asked. */
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
  // The same files again, by intent, are another job.
  drawn.delete(asked);
  return begun;
}

/** It was asked for in this window, and nobody knew whether it was begun. */
export function wasDrawnHere(upload: string): boolean {
  return [...drawn.values()].includes(upload);
}
