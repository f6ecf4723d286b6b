// Where an upload lies until it is whole: in our own folder.
import { join } from 'node:path';
import type { OnNotOurs } from '../../files/own-marks';
import type { ShareLayout } from '../../files/share-layout';

/** What the one file of an upload that replaces a document is called here, whatever its name will be. */
export const ONLY_FILE = 'file';

export interface UploadDeps {
  readonly layout: () => ShareLayout;
  readonly marker: string;
  readonly now: () => Date;
  readonly onNotOurs: OnNotOurs;
}

export function folderOfUpload({ layout }: Pick<UploadDeps, 'layout'>, id: string): string {
  return join(layout().own, 'uploads', id);
}

/** Where the one file of such an upload lies, once it is whole. */
export function wholeFileOf(deps: Pick<UploadDeps, 'layout'>, id: string): string {
  return join(folderOfUpload(deps, id), 'whole', ONLY_FILE);
}
