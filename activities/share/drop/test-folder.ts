// The folder `test` at the root of the share, where people make one: what they put there is looked at and
// never taken. Beside each of its folders the result of its test is written. People write there, too: a
// result is known as ours by its bytes, and nothing else is ever written over.
import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { isGone } from '../../host/file-trouble';
import { isIgnoredName } from '../../registers/words/ignored-names';
import { lookIfThere } from '../files/if-there';
import { type MarkKind, NOT_OURS, type OnNotOurs, readMark, toMarkText } from '../files/own-marks';
import { inRealFolder } from '../files/real-folder';
import { comparePaths, decodeName, isInnerPath, placeOf } from '../files/relative-path';
import { ShareError, toShareError } from '../files/share-error';
import { Place } from '../files/share-fs';
import { fromRoot, type ShareLayout } from '../files/share-layout';
import { writeOnce, writeOver } from '../files/write-whole';
import { scanDrop } from './scan-drop';

const FOLDER = 'test';
/** Further folders wait until others are taken away; nobody is told of that. */
const MOST_FOLDERS = 100;
/** The largest file that can be a result of ours: a whole register with our columns added. */
const MOST_BYTES = 256 * 1024 ** 2;
/** How many results of one folder are remembered, so that they are known as ours. */
const MOST_KNOWN = 20;
const MOST_NAMES = 50;

/** A folder that is to be tested. */
export interface FolderToTest {
  readonly name: string;
  /** Another one when anything in it has changed. */
  readonly state: string;
}

const resultsSchema = z.strictObject({
  version: z.literal(1),
  /** SHA-256 of results that were written, or were about to be; the newest last. */
  results: z.array(z.string().regex(/^[0-9a-f]{64}$/)).max(MOST_KNOWN),
});
const RESULTS: MarkKind<z.output<typeof resultsSchema>> = {
  kind: 'test-result',
  label: 'The record of test results',
  schema: resultsSchema,
};

/** The folder `test`. @throws ShareError `bad-request` where `name` can be no folder in it. */
function placeOfTest(layout: ShareLayout, name: string): string {
  const base = baseOf(layout);
  if (base === undefined) {
    throw new ShareError(
      'bad-request',
      'Another folder of this share is called "test": nothing is tested there.',
    );
  }
  if (!isInnerPath(name) || name.includes('/')) {
    throw new ShareError(
      'bad-request',
      'A folder to test is one that lies in the folder "test" of the share.',
    );
  }
  return base;
}

/** @throws ShareError `bad-request` when there is no such folder. */
export async function openFolderToTest(layout: ShareLayout, name: string) {
  const base = placeOfTest(layout, name);
  const facts = await lookIfThere(layout.fs, join(base, name));
  if (facts?.kind !== 'folder') {
    throw new ShareError('bad-request', `There is no folder "${name}" in the folder "test" of the share.`);
  }
  return { fs: layout.fs, root: layout.root, base, name };
}

/** The folder `test`; undefined where drop, done or attention is called so, or lies in it. */
function baseOf({ root, drop, done, attention }: ShareLayout): string | undefined {
  const base = join(root, FOLDER);
  const isApart = (other: string) =>
    relative(base, other).startsWith('..') && relative(other, base).startsWith('..');
  return [drop, done, attention].every(isApart) ? base : undefined;
}

/** Folders there that have files in them; none where nobody has made the folder `test`. */
export async function listFoldersToTest(layout: ShareLayout): Promise<readonly FolderToTest[]> {
  const base = baseOf(layout);
  const folders: FolderToTest[] = [];
  for (const name of base === undefined ? [] : await listNames(layout, base)) {
    const state = await stateOf(layout, base ?? '', name);
    if (state !== undefined) folders.push({ name, state });
  }
  return folders;
}

async function listNames({ fs, root }: ShareLayout, base: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    const open = await fs.openFolder(root, base);
    try {
      for await (const { name, kind } of fs.entries(new Place(open, '.'))) {
        const text = decodeName(name);
        if (kind !== 'folder' || text === undefined || isIgnoredName(text)) continue;
        if (names.length < MOST_FOLDERS) names.push(text);
      }
    } finally {
      await open.close();
    }
  } catch (error) {
    const trouble = toShareError(error);
    if (trouble !== undefined && !isGone(error)) throw trouble;
  }
  return names;
}

async function stateOf({ fs }: ShareLayout, base: string, name: string): Promise<string | undefined> {
  const files: string[] = [];
  for await (const found of scanDrop(fs, base, { under: name })) {
    const facts = await lookIfThere(fs, placeOf(base, found));
    if (facts !== undefined) files.push(`${found.path} ${facts.sizeBytes} ${facts.mtimeNs}`);
  }
  if (files.length === 0) return undefined;
  return createHash('sha256').update(files.sort(comparePaths).join('\n')).digest('hex');
}

/**
 * Writes a result beside its folder, over an earlier one of ours; beside what is not ours. What it will be is
 * noted first: whoever finds it after a crash knows it for ours.
 * @returns where it is, from the share's root.
 */
export async function putTestResult(
  layout: ShareLayout,
  name: string,
  { format, bytes }: { readonly format: string; readonly bytes: Buffer },
  onNotOurs: OnNotOurs,
): Promise<string> {
  const { fs, root, own, seals } = layout;
  const base = placeOfTest(layout, name);
  const scratch = join(own, 'tests');
  const markPath = join(scratch, `${createHash('sha256').update(name).digest('hex').slice(0, 20)}.json`);
  await fs.makeFolders(own, scratch);
  const before = await readMark(fs, seals, RESULTS, markPath, name, onNotOurs);
  const known = before === undefined || before === NOT_OURS ? [] : before.results;
  const results = [...known, hashOf(bytes)].slice(-MOST_KNOWN);
  await writeOver(fs, markPath, toMarkText(seals, RESULTS, name, { version: 1, results }));
  return await inRealFolder(fs, root, base, async open => {
    for (let at = 1; at <= MOST_NAMES; at += 1) {
      const place = new Place(open, `${name}-TEST${at === 1 ? '' : ` (${at})`}.${format}`);
      if (await writeOnce(fs, place, bytes, scratch)) return fromRoot(root, place);
      if (!(await isOneOf(layout, place, results))) continue;
      await writeOver(fs, place, bytes, scratch);
      return fromRoot(root, place);
    }
    throw new ShareError('bad-request', `There is no name left for the result of ${name}: remove some.`);
  });
}

async function isOneOf({ fs }: ShareLayout, place: Place, results: readonly string[]): Promise<boolean> {
  const facts = await lookIfThere(fs, place);
  if (facts?.kind !== 'file' || facts.sizeBytes > MOST_BYTES) return false;
  return results.includes(hashOf(await fs.read(place, MOST_BYTES)));
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
