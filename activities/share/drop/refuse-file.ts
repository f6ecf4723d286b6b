// Why a dropped file cannot travel, in the words its owner reads in the receipt. Pure.
import type { Reason } from '../../../workflows/contract';
import type { NameFault } from './drop-names';

export type FileRefusal =
  | 'empty-file'
  | 'too-large'
  | 'not-a-file'
  | 'shortcut'
  | 'linked-twice'
  | 'unreadable-name'
  | 'keeps-changing'
  | 'unreadable-file'
  | NameFault;

/** The reason for the receipt. `limitBytes` is the share's largest file. */
export function explainFileRefusal(refusal: FileRefusal, limitBytes: number): Reason {
  const { text, fix } = wordings(limitBytes)[refusal];
  return { code: refusal, text, fix };
}

/** A size as people write it: `1.5 GB`. */
export function toReadableSize(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${Number.isInteger(value) ? value : value.toFixed(1)} ${units[unit]}`;
}

function wordings(limitBytes: number): Record<FileRefusal, { text: string; fix: string }> {
  return {
    'empty-file': {
      text: 'The file is empty (0 bytes).',
      fix: 'Check the original; copy the complete file into the drop folder again.',
    },
    'too-large': {
      text: `The file is larger than this share accepts (${toReadableSize(limitBytes)}).`,
      fix: 'Split the file or make it smaller, or ask for the limit to be raised, then drop it again.',
    },
    'not-a-file': {
      text: 'This is not an ordinary file but a device, pipe or socket.',
      fix: 'Remove it; drop ordinary files only.',
    },
    shortcut: {
      text: 'This is a link to another place, not a file.',
      fix: 'Copy the file itself into the drop folder.',
    },
    'linked-twice': {
      text: 'The same file is linked from another place as well, where it could be changed while it is sent.',
      fix: 'Copy the file into the drop folder instead of linking it.',
    },
    'unreadable-name': {
      text: 'The name of the file or of a folder above it contains characters that cannot be read (it is not UTF-8).',
      fix: 'Rename it with ordinary letters, then drop it again.',
    },
    'keeps-changing': {
      text: 'The file was still being changed each time it was about to be sent.',
      fix: 'Close the program that writes to it, then drop the finished file again.',
    },
    'unreadable-file': {
      text: 'The file cannot be read, though it is there.',
      fix: 'Check its permissions and that it opens, then drop it again.',
    },
    'control-characters': {
      text: 'The name contains a line break or another invisible character.',
      fix: 'Rename the file, then drop it again.',
    },
    'direction-marks': {
      text: 'The name contains invisible marks that change the direction of writing and can disguise it.',
      fix: 'Rename the file, then drop it again.',
    },
    'blank-name': {
      text: 'The name consists of blanks, or of characters that do not show, only.',
      fix: 'Give the file a name that can be read, then drop it again.',
    },
    'too-long': {
      text: 'The name is longer than 255 bytes.',
      fix: 'Give the file a shorter name, then drop it again.',
    },
  };
}
