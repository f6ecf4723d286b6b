// What people drop in a kill case, and do while it runs.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface KillPlay {
  /** By their path in the drop folder; each becomes a revision. */
  readonly files: Readonly<Record<string, Buffer>>;
  /** No document: dropped once, and back beside its files at the end. */
  readonly register: Readonly<Record<string, Buffer>>;
  readonly share: Readonly<Record<string, unknown>>;
  /** File names that the service's analysis finds nothing in. */
  readonly notAnalysed: readonly string[];
  /** What a person does as soon as it can be done; asked again and again. */
  readonly tend?: (shareFolder: string) => void;
  /** Files that come back and are taken up again: each is claimed twice, and has two rows in receipts. */
  readonly takenUp?: readonly string[];
  /** What is written for those, and lies beside them at the end. */
  readonly registerOfThose?: Readonly<Record<string, Buffer>>;
}

const MEBIBYTE = 1024 * 1024;
/** The smallest whole MiB that the service takes for a segment that is not the last. */
export const SEGMENT_BYTES = 6 * MEBIBYTE;
const ANALYSED = 'analysed.pdf';
const NAMED = 'DOC_S0_A_named.pdf';

/**
 * One that is analysed in vain, one whose name says everything, one of several segments that is no PDF, and
 * one that is in the second batch of its folder.
 */
export const FROM_DROP_TO_RECEIPT: KillPlay = {
  files: {
    [ANALYSED]: Buffer.from('%PDF what it is, the analysis tells'),
    [NAMED]: Buffer.from('%PDF its name says everything'),
    'Package A/several.dat': Buffer.alloc(SEGMENT_BYTES + MEBIBYTE / 2, 'drawbridge'),
    'Package A/small.txt': Buffer.from('the second part of its folder'),
  },
  register: { 'Package A/register.csv': Buffer.from('File,Number\nseveral.dat,N-1\nsmall.txt,N-2\n') },
  share: {
    batch: { maxFiles: 2 },
    fileNamePattern: '^(?<type>[A-Z]+)_(?<status>[A-Z0-9]+)_(?<revision>[A-Z])_',
  },
  // So the missing values of the one are filled in by a second write, and whether the other is submitted
  // before or after its analysis makes no difference to its revision.
  notAnalysed: [ANALYSED, NAMED],
};

const HELD_SHEET = join('attention', 'Package A', 'to-correct-register.csv');
const RECEIPT = join('attention', 'Package A', 'receipt-register.csv');

/**
 * One that is through at once, one that is held, as the twin of the first, until its row says that it is
 * meant, and one that is set apart, for a type that does not exist, until that is corrected in the receipt.
 */
export const CORRECTED_SHEETS: KillPlay = {
  files: {
    'Package A/plain.txt': Buffer.from('of one content'),
    'Package A/twin.txt': Buffer.from('of one content'),
    'Package A/wrong.txt': Buffer.from('of a wrong type'),
  },
  register: {
    'Package A/register.csv': Buffer.from(
      'File,Number,Type\nplain.txt,N-1,Document\ntwin.txt,N-2,Document\nwrong.txt,N-3,Docment\n',
    ),
  },
  share: { missing: 'set-apart', defaults: { Status: 'Work in progress', Revision: 'A' } },
  notAnalysed: [],
  tend: shareFolder => {
    correct(join(shareFolder, HELD_SHEET), lines =>
      lines[0]?.endsWith(',Action') === true
        ? lines
        : lines.map((line, at) => `${line},${at === 0 ? 'Action' : line.includes('twin.txt') ? 'send' : ''}`),
    );
    correct(join(shareFolder, RECEIPT), lines => lines.map(mendType));
  },
  takenUp: ['Package A/wrong.txt'],
  registerOfThose: {
    'Package A/register.csv': Buffer.from('File,Number,Type\nwrong.txt,N-3,Document\n'),
  },
};

/** What was found, which stands in the line as well, remains as it is. */
function mendType(line: string): string {
  return line.includes('wrong.txt') ? line.replace(',Docment,', ',Document,') : line;
}

/** Saves it as programs do: a new file in the place of the other. */
function correct(path: string, edit: (lines: readonly string[]) => readonly string[]): void {
  if (!existsSync(path)) return;
  const before = readFileSync(path, 'utf8');
  const ending = before.includes('\r\n') ? '\r\n' : '\n';
  const lines = before.split(ending);
  const last = lines.at(-1) === '' ? lines.pop() : undefined;
  const after = [...edit(lines), ...(last === undefined ? [] : [last])].join(ending);
  if (after === before) return;
  writeFileSync(`${path}.saving`, after);
  renameSync(`${path}.saving`, path);
}
