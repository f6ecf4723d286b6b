import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { USUAL_FIELDS } from '../../../activities/registers/column-words';
import { findRegister } from '../../../activities/registers/find-register';
import { matchFiles } from '../../../activities/registers/match-files';
import { listFileRows } from '../../../activities/registers/read-rows';
import { readSheet } from '../../../activities/registers/sheet/read-sheet';
import { writeSample } from '../../../client/run/sample-folder';

let share: string;

beforeEach(() => {
  share = mkdtempSync(join(tmpdir(), 'drawbridge-sample-'));
});

afterEach(() => {
  rmSync(share, { recursive: true });
});

test('is ten drawings and the register that lists them, one of them empty', async () => {
  const folder = await writeSample(share);
  expect(folder).toBe(join(share, 'samples', 'Transmittal 0001'));
  const drawings = readdirSync(folder).filter(name => name !== 'register.xlsx');
  expect(drawings).toHaveLength(10);
  const sizes = drawings.map(name => readFileSync(join(folder, name)));
  expect(sizes.filter(bytes => bytes.length === 0)).toHaveLength(1);
  for (const pdf of sizes.filter(bytes => bytes.length > 0)) {
    const text = pdf.toString('latin1');
    expect(text).toMatch(/^%PDF-1\.4\n.*%%EOF\n$/s);
    // Readers begin at the end.
    const table = Number(/startxref\n(\d+)/.exec(text)?.[1]);
    expect(text.slice(table)).toMatch(/^xref\n/);
    expect(text.slice(Number(/(\d{10}) 00000 n/.exec(text)?.[1]))).toMatch(/^1 0 obj/);
  }
  const sheet = await readSheet(readFileSync(join(folder, 'register.xlsx')), 'register.xlsx');
  const found = findRegister(sheet, true, { fields: USUAL_FIELDS, isComplete: false, synonyms: {} });
  if (found.kind !== 'register') throw new Error(found.kind);
  const { pairs, missing, unlisted } = matchFiles(listFileRows(found.register), drawings, '');
  expect({ pairs: pairs.length, missing, unlisted }).toEqual({ pairs: 10, missing: [], unlisted: [] });
});

test('is made once: what a person did to it stays, and nothing is left beside it', async () => {
  const [folder] = await Promise.all([writeSample(share), writeSample(share)]);
  writeFileSync(join(folder, 'HB-0101.pdf'), 'mine');
  await writeSample(share);
  expect(readFileSync(join(folder, 'HB-0101.pdf'), 'utf8')).toBe('mine');
  expect(readdirSync(join(share, 'samples'))).toEqual(['Transmittal 0001']);
});
