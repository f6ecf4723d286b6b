// Registers of every sort, whole and damaged: what is read is what the cell says, by what the maker of the
// sheet knows or by a second reading; what cannot be read is refused in one sentence for whoever made it.
import { USUAL_FIELDS } from '../../activities/registers/column-words';
import { findRegister } from '../../activities/registers/find-register';
import type { Cell, SheetFile } from '../../activities/registers/sheet/grid';
import { readSheet } from '../../activities/registers/sheet/read-sheet';
import { SheetError } from '../../activities/registers/sheet/sheet-error';
import { SHEET_LIMITS } from '../../activities/registers/sheet/sheet-limits';
import { describeThrown, type KindResult, type KindRun, Tally } from './bad-input-kind';
import { Dice, spoilBytes } from './bad-input-mutate';
import {
  type KnownCell,
  type KnownSheet,
  MERGED_COLUMN,
  makeBase,
  makeBook,
  pack,
} from './bad-input-sheet-book';
import { makeCsv } from './bad-input-sheet-csv';
import { damageBook, makeBombs, type Parts, pickForeign } from './bad-input-sheet-damage';
import { readAgain } from './bad-input-sheet-reader';
import { endLastingThread, inLastingThread } from './bad-input-sheet-thread';

/** Of so many one has a thread of its own, as the product gives it. */
const OWN_THREAD = 100;
/** What the process and its thread may hold together, whatever they were given. */
const MOST_MEMORY_BYTES = 1_200 * 1024 ** 2;
/** Asking costs as much as a small sheet. */
const MEMORY_EVERY = 20;
/** Beyond the product's own limit of time. */
const SLACK_MS = 10_000;

interface Case {
  readonly bytes: Buffer;
  readonly name: 'register.xlsx' | 'register.csv';
  readonly way: string;
  /** All its cells. */
  readonly known?: readonly KnownSheet[];
  /** It is whole: it has to be read. */
  readonly isWhole?: boolean;
  /** As they are in a damaged one. */
  readonly parts?: Parts;
}

export async function trySheets(run: KindRun): Promise<KindResult> {
  const dice = new Dice(run.seed);
  const tally = new Tally('sheets');
  const base = await makeBase();
  const bombs = makeBombs(base).map((bomb): Case => ({ ...bomb, name: 'register.xlsx' }));
  while (tally.cases < run.cases) {
    const turn = tally.cases;
    const one = bombs[turn] ?? makeCase(dice, base);
    const where = `seed ${run.seed} case ${turn} (${one.way})`;
    const beganMs = performance.now();
    const read = async () => await tryOne(tally, one, where);
    const isOwn = turn % OWN_THREAD === OWN_THREAD - 1 || turn < bombs.length;
    tally.ended(await (isOwn ? read() : inLastingThread(read)));
    if (performance.now() - beganMs > SHEET_LIMITS.readMs + SLACK_MS)
      tally.violate('no hang', where, `took ${Math.round(performance.now() - beganMs)} ms`);
    if (turn % MEMORY_EVERY === 0 && process.memoryUsage.rss() > MOST_MEMORY_BYTES)
      tally.violate('bounded memory', where, `${Math.round(process.memoryUsage.rss() / 1024 ** 2)} MB`);
  }
  await endLastingThread();
  return tally.result();
}

function makeCase(dice: Dice, base: Parts): Case {
  const kind = dice.below(20);
  if (kind === 0) return { ...pickForeign(dice), name: 'register.xlsx' };
  if (kind < 7) {
    const { bytes, sheet, ways } = makeCsv(dice);
    if (kind > 3) return { bytes, name: 'register.csv', way: `csv ${ways}`, known: [sheet], isWhole: true };
    return { bytes: spoilBytes(dice, bytes), name: 'register.csv', way: `spoilt csv ${ways}` };
  }
  const { parts, sheets, ways } = makeBook(dice, base);
  const known = { name: 'register.xlsx', known: sheets } as const;
  if (kind < 13) return { ...known, bytes: pack(parts), way: `whole ${ways.join(', ')}`, isWhole: true };
  const damaged = damageBook(dice, parts);
  return { ...known, ...damaged, way: `${damaged.way} ${ways.join(', ')}` };
}

/** How it ended. */
async function tryOne(tally: Tally, one: Case, where: string): Promise<string> {
  let file: SheetFile;
  try {
    file = await readSheet(one.bytes, one.name);
  } catch (error) {
    if (!(error instanceof SheetError)) {
      tally.violate('no crash', where, describeThrown(error));
      return 'crash';
    }
    judgeSentence(tally, where, error.message);
    if (one.isWhole === true)
      tally.violate('a whole sheet is read', where, `${error.message} ${describeThrown(error.cause)}`);
    return `refused ${error.code}`;
  }
  try {
    judgeRead(tally, one, where, file);
    return one.isWhole === true ? 'read' : 'read though damaged';
  } catch (error) {
    tally.violate('no crash', where, describeThrown(error));
    return 'crash';
  }
}

function judgeRead(tally: Tally, one: Case, where: string, file: SheetFile): void {
  const finding = findRegister(file, true, { fields: USUAL_FIELDS, isComplete: false, synonyms: {} });
  const faults =
    finding.kind === 'register' ? finding.register.faults : finding.kind === 'unusable' ? finding.faults : [];
  for (const { text } of faults) judgeSentence(tally, where, text);
  if (one.known === undefined) return;
  const wrong = findWrong(file, one.known);
  if (wrong !== undefined) {
    const again = one.parts && readAgain(one.parts);
    const other = one.parts === undefined ? wrong : again === undefined ? wrong : compareAgain(file, again);
    if (other !== undefined) tally.violate("no value but the cell's", where, other);
    return;
  }
  const [data] = one.known;
  if (finding.kind !== 'register') tally.violate('a register is known as one', where, finding.kind);
  else if (data !== undefined && one.isWhole === true) judgeMerged(tally, where, finding.register.rows, data);
}

/** What is merged with the cell above says the same. */
function judgeMerged(
  tally: Tally,
  where: string,
  rows: readonly { readonly number: number; readonly cells: readonly Cell[] }[],
  { rows: known, merged }: KnownSheet,
): void {
  if (merged === undefined) return;
  const be = known[merged]?.[MERGED_COLUMN];
  const is = rows.find(({ number }) => number === merged + 2)?.cells[MERGED_COLUMN];
  if (be !== undefined && !isSame(is, be))
    tally.violate('merged cells say the same', where, `${is?.text} and not ${be.text}`);
}

/** The first cell that is not as its maker knows it. */
function findWrong(file: SheetFile, known: readonly KnownSheet[]): string | undefined {
  if (file.grids.length !== known.length) return `${file.grids.length} sheets and not ${known.length}`;
  for (const [at, { rows }] of known.entries()) {
    const grid = file.grids[at];
    const height = Math.max(rows.length, grid?.rows.length ?? 0);
    for (let y = 0; y < height; y++) {
      const width = Math.max(rows[y]?.length ?? 0, grid?.rows[y]?.length ?? 0);
      for (let x = 0; x < width; x++) {
        const [is, be] = [grid?.rows[y]?.[x], rows[y]?.[x] ?? { text: '' }];
        if (!isSame(is, be))
          return `row ${y + 1}, column ${x + 1}: ${JSON.stringify(is)} and not ${JSON.stringify(be)}`;
      }
    }
  }
  return undefined;
}

function isSame(is: Cell | undefined, be: KnownCell): boolean {
  return be.isError === true
    ? is?.kind === 'error'
    : (is?.text ?? '') === (be.text.trim() === '' ? (is?.text.trim() ?? '') && be.text : be.text);
}

/** The first cell that the second reading has otherwise. */
function compareAgain(file: SheetFile, again: ReadonlyMap<string, string | undefined>): string | undefined {
  for (const [place, be] of again) {
    if (be === undefined) continue;
    const [, name, y, x] = /^(.*)!(\d+),(\d+)$/s.exec(place) ?? [];
    const is = file.grids.find(grid => grid.name === name)?.rows[Number(y)]?.[Number(x)]?.text ?? '';
    if (is !== be && !(be.trim() === '' && is.trim() === ''))
      return `${place}: ${JSON.stringify(is)} and not ${JSON.stringify(be)}`;
  }
  return undefined;
}

/** Words of ours, of a library or of the language that say nothing to whoever made the sheet. */
const INTERNALS =
  /hucre|yauzl|fflate|undefined|null\b|NaN|Error|node_modules|\.[jt]s\b|worker|thread|heap|zip\b|xml\b|\bJSON\b|stack|\/tmp|0x|[\r\n]/i;
const LONGEST = 600;

function judgeSentence(tally: Tally, where: string, text: string): void {
  const isClear =
    text.length > 15 && text.length < LONGEST && /^\p{Lu}/u.test(text) && /[.?]$/.test(text.trim());
  if (!isClear || INTERNALS.test(text)) tally.violate('a clear sentence', where, text);
}
