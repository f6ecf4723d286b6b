// Where an upload lies until it is whole: in our own folder.
import { join } from 'node:path';
import type { OnNotOurs } from '../../files/own-marks';
import type { ShareLayout } from '../../files/share-layout';

export interface UploadDeps {
  readonly layout: () => ShareLayout;
  readonly marker: string;
  readonly now: () => Date;
  readonly onNotOurs: OnNotOurs;
}

export function folderOfUpload({ layout }: Pick<UploadDeps, 'layout'>, id: string): string {
  return join(layout().own, 'uploads', id);
}
