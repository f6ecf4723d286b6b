// What a person has chosen or dragged: a folder with all that is in it, or files. Nothing is read of it yet.
import { isIgnoredName } from '../../../../../activities/registers/words/ignored-names';

export interface ChosenFile {
  /** Below the job's folder. */
  readonly path: string;
  readonly file: File;
}

export interface Choice {
  /** Tells one choice from every other: the same folder may be chosen again, with files that were changed. */
  readonly id: number;
  readonly name: string;
  /** It came as one folder, whose name is that of the job. */
  readonly isFolder: boolean;
  readonly files: readonly ChosenFile[];
  /** Paths below the folder of files that are never sent, by their names. */
  readonly leftOut: readonly string[];
  readonly sizeBytes: number;
  /** Paths of those that were not sent with the others: they stay chosen. */
  readonly kept?: readonly string[];
  /** Looks again at what was dragged; absent where only the person can choose it again. */
  readonly again?: LookAgain | undefined;
}

export type LookAgain = () => Promise<readonly ChosenFile[]>;

let choices = 0;

function nextId(): number {
  choices += 1;
  return choices;
}

/** A choice, from files as they were dragged or chosen; `nameOfFiles` names the job unless a folder does. */
export function toChoice(found: readonly ChosenFile[], nameOfFiles: string, again?: LookAgain): Choice {
  const tops = new Set(found.map(({ path }) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '')));
  const [top = ''] = tops;
  const isFolder = tops.size === 1 && top !== '';
  const inside = isFolder
    ? found.map(({ path, file }) => ({ path: path.slice(top.length + 1), file }))
    : found;
  const isLeftOut = ({ path }: ChosenFile) => path.split('/').some(isIgnoredName);
  const files = inside.filter(each => !isLeftOut(each));
  return {
    id: nextId(),
    name: isFolder ? top : nameOfFiles,
    isFolder,
    files,
    leftOut: inside.filter(isLeftOut).map(({ path }) => path),
    sizeBytes: sizeOf(files),
    again,
  };
}

/** Some of them, under the same name. */
export function partOf(choice: Choice, isPart: (file: ChosenFile) => boolean): Choice {
  const files = choice.files.filter(isPart);
  return { ...choice, id: nextId(), files, leftOut: [], sizeBytes: sizeOf(files), again: undefined };
}

function sizeOf(files: readonly ChosenFile[]): number {
  return files.reduce((sum, { file }) => sum + file.size, 0);
}

/** Files of an input; where a folder was chosen, the path of each begins with its name. */
export function filesOf(list: FileList | null): readonly ChosenFile[] {
  return [...(list ?? [])].map(file => ({ path: file.webkitRelativePath || file.name, file }));
}

/**
 * Files of a drag. To be called while the event lasts; the result may be called later, and walks through the
 * folders anew each time.
 */
export function draggedFiles(transfer: DataTransfer): LookAgain {
  // The list is emptied when the event is over.
  const entries = [...transfer.items].flatMap(item => item.webkitGetAsEntry() ?? []);
  return async () => {
    const files: ChosenFile[] = [];
    for (const entry of entries) await walk(entry, '', files);
    return files;
  };
}

async function walk(entry: FileSystemEntry, above: string, files: ChosenFile[]): Promise<void> {
  const path = `${above}${entry.name}`;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    files.push({ path, file });
  } else if (entry.isDirectory) {
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      const some = await new Promise<readonly FileSystemEntry[]>((resolve, reject) =>
        reader.readEntries(resolve, reject),
      );
      if (some.length === 0) return;
      for (const each of some) await walk(each, `${path}/`, files);
    }
  }
}
