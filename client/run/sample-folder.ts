// A transmittal to try everything with, beside the drop folder of the share that `run` makes for itself: ten
// drawings and the register that lists them. One cell of the register is wrong and one file is empty, as
// happens; the other eight go through.
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PlannedCell, writeWorkbook } from '../../activities/registers/write/write-workbook';
import { drawPdf } from './sample-pdf';

const NAME = 'Transmittal 0001';
/** Of its register: the same bytes at each start. */
const MADE_AT = new Date('2026-01-05T08:00:00Z');

const HEADERS = ['File', 'Number', 'Revision', 'Type', 'Status', 'Discipline', 'Description', 'Checked by'];

/** A column of their own, that no field of the project has, comes back as well. */
const CHECKED_BY = 'M. Okafor';

/** Number, title, discipline as the register has them. */
const DRAWINGS: readonly (readonly [number: string, title: string, discipline: string])[] = [
  ['0101', 'Ground floor plan', 'Architectural'],
  ['0102', 'First floor plan', 'Architectural'],
  ['0103', 'Roof plan', 'Architectural'],
  ['0104', 'Section A-A', 'Architectural'],
  ['0201', 'Foundations', 'Structural'],
  // As somebody typed it.
  ['0202', 'Columns, ground floor', 'Structral'],
  ['0203', 'Steel frame', 'Structural'],
  ['0301', 'Ventilation, ground floor', 'Mechanical'],
  ['0302', 'Ventilation, roof', 'Mechanical'],
  ['0401', 'Lighting, ground floor', 'Electrical'],
];

/** Its file is empty, as if copying it had broken off. */
const EMPTY = '0302';

/**
 * Makes it where there is none yet; what lies there stays as it is.
 * @returns its folder.
 */
export async function writeSample(shareFolder: string): Promise<string> {
  const samples = join(shareFolder, 'samples');
  const place = join(samples, NAME);
  if (await isThere(place)) return place;
  await mkdir(samples, { recursive: true });
  // Whole or not at all: somebody may be about to copy it.
  const partial = join(samples, `.making-${randomUUID()}`);
  await mkdir(partial);
  try {
    for (const [number, title] of DRAWINGS) {
      const pdf = drawPdf({ number: `HB-${number}`, revision: 'P01', title });
      await writeFile(join(partial, fileOf(number)), number === EMPTY ? '' : pdf);
    }
    await writeFile(join(partial, 'register.xlsx'), await writeRegister());
    await rename(partial, place);
  } catch (error) {
    // Another start was faster.
    if (!(await isThere(place))) throw error;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return place;
}

function fileOf(number: string): string {
  return `HB-${number}.pdf`;
}

async function writeRegister(): Promise<Buffer> {
  const rows = DRAWINGS.map(([number, title, discipline]): PlannedCell[] =>
    [fileOf(number), number, 'P01', 'Drawing', 'Shared', discipline, title, CHECKED_BY].map(text => ({
      text,
      look: 'text',
    })),
  );
  const header = HEADERS.map((text): PlannedCell => ({ text, look: 'header' }));
  return await writeWorkbook({
    title: `${NAME}, register`,
    sheets: [
      {
        name: 'Register',
        widths: [18, 12, 10, 12, 12, 18, 32, 16],
        rows: [header, ...rows],
        frozenRows: 1,
        filterRow: 0,
      },
    ],
    madeAt: MADE_AT,
  });
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
