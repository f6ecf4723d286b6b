// Where an upload lies until it is whole: in our own folder.
import { join } from 'node:path';
import type { OnNotOurs } from '../../files/own-marks';
import type { ShareLayout } from '../../files/share-layout';

/** What it is called here, whatever it is called where it goes. */
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

/** Where the only file of one that is no job lies, once it is whole. */
export function wholeFileOf(deps: Pick<UploadDeps, 'layout'>, id: string): string {
  return join(folderOfUpload(deps, id), 'whole', ONLY_FILE);
}
