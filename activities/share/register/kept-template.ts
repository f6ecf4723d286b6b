// The template that is kept fresh at the root of the share. People write there, too, and fill it in where it
// lies: it is known as ours by its bytes alone, and nothing else is ever written over.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { isBusy, troubleOf } from '../../host/file-trouble';
import { type LastLook, withFolderLock } from '../files/folder-lock';
import { lookIfThere } from '../files/if-there';
import { type MarkKind, NOT_OURS, type OnNotOurs, readMark, toMarkText } from '../files/own-marks';
import { inRealFolder } from '../files/real-folder';
import { Place } from '../files/share-fs';
import type { ShareLayout } from '../files/share-layout';
import { writeOnce, writeOver } from '../files/write-whole';

/** Far above what the longest lists of a project need. */
const MOST_BYTES = 64 * 1024 ** 2;
/** How many templates are remembered, so that they are known as ours: people put older ones back. */
const MOST_KNOWN = 20;
/** A little less than the hour after which the watcher asks again. */
const FRESH_MS = 55 * 60_000;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const recordSchema = z.strictObject({
  version: z.literal(1),
  /** SHA-256 of templates that were written, or were about to be; the newest last. */
  written: z.array(sha256).max(MOST_KNOWN),
  /** Hash of what the newest one says. */
  facts: sha256,
  /** Hash of the settings that it was made by. */
  settings: sha256,
  /** When the service was asked last. */
  askedAt: z.iso.datetime(),
});
type TemplateRecord = z.output<typeof recordSchema>;
const RECORD: MarkKind<TemplateRecord> = {
  kind: 'template',
  label: 'The record of the template',
  schema: recordSchema,
};

/** `theirs`: what lies there is not ours, or was changed since; it stays as it is. */
export type TemplateState = 'due' | 'fresh' | 'theirs';
/** `cannot-write`: a program has it open, or nobody may write there. */
export type TemplateOutcome = 'written' | 'as-it-was' | 'theirs' | 'cannot-write';

/** What a template says, and how it is made: it is asked for only when it is to be written. */
export interface NewTemplate {
  readonly facts: string;
  readonly settings: string;
  readonly make: () => Promise<Buffer>;
}

export interface TemplatePlace {
  readonly layout: ShareLayout;
  /** Of the file, at the root of the share. */
  readonly name: string;
  readonly now: Date;
  readonly onNotOurs: OnNotOurs;
}

/** Whether the service is to be asked at all. */
export async function lookAtTemplate(place: TemplatePlace, settings: string): Promise<TemplateState> {
  const { layout, name, now } = place;
  const record = await readRecord(place);
  const lies = await inRealFolder(layout.fs, layout.root, layout.root, open =>
    lookAt(layout, new Place(open, name), record),
  );
  if (lies === 'theirs') return 'theirs';
  const askedMsAgo = now.getTime() - Date.parse(record?.askedAt ?? '');
  const isFresh = record?.settings === settings && askedMsAgo >= 0 && askedMsAgo < FRESH_MS;
  return lies === 'newest' && isFresh ? 'fresh' : 'due';
}

/** Its bytes; undefined where none lies there that is ours. */
export async function readTemplate(place: TemplatePlace): Promise<Buffer | undefined> {
  const { layout, name } = place;
  const record = await readRecord(place);
  return await inRealFolder(layout.fs, layout.root, layout.root, async open => {
    const file = new Place(open, name);
    const lies = await lookAt(layout, file, record);
    if (lies !== 'newest' && lies !== 'older') return undefined;
    const bytes = await layout.fs.read(file, MOST_BYTES);
    return record?.written.includes(hash('sha256', bytes)) === true ? bytes : undefined;
  });
}

/**
 * Writes the template when it says something new, or is gone. What it will be is noted first: whoever finds
 * it after a crash knows it for ours.
 */
export async function putTemplate(place: TemplatePlace, template: NewTemplate): Promise<TemplateOutcome> {
  const { layout } = place;
  const { fs, own } = layout;
  await fs.makeFolders(own, scratchOf(own));
  // Two Temporals on one share would each forget what the other one has noted.
  return await withFolderLock(fs, join(scratchOf(own), 'lock'), lastLook =>
    putAlone(place, template, lastLook),
  );
}

async function putAlone(
  place: TemplatePlace,
  { facts, settings, make }: NewTemplate,
  lastLook: LastLook,
): Promise<TemplateOutcome> {
  const { layout, name, now } = place;
  const { fs, root, own, seals } = layout;
  const record = await readRecord(place);
  const note = async (written: readonly string[]): Promise<void> => {
    const value = { version: 1 as const, written: [...written], facts, settings, askedAt: now.toISOString() };
    await writeOver(fs, recordPath(own), toMarkText(seals, RECORD, 'template', value), scratchOf(own));
  };
  return await inRealFolder(fs, root, root, async open => {
    const file = new Place(open, name);
    const lies = await lookAt(layout, file, record);
    if (lies === 'theirs') return 'theirs';
    if (lies === 'newest' && record?.facts === facts) {
      await note(record.written);
      return 'as-it-was';
    }
    const bytes = await make();
    // Making it takes seconds, in which somebody may have put a file of his own there.
    if ((await lastLook(lookAt(layout, file, record))) === 'theirs') return 'theirs';
    await note([...(record?.written ?? []), hash('sha256', bytes)].slice(-MOST_KNOWN));
    try {
      if (lies === 'nothing')
        return (await writeOnce(fs, file, bytes, scratchOf(own))) ? 'written' : 'theirs';
      await writeOver(fs, file, bytes, scratchOf(own));
      return 'written';
    } catch (error) {
      if (isBusy(error) || troubleOf(error) === 'read-only') return 'cannot-write';
      throw error;
    }
  });
}

async function readRecord({
  layout: { fs, seals, own },
  onNotOurs,
}: TemplatePlace): Promise<TemplateRecord | undefined> {
  const record = await readMark(fs, seals, RECORD, recordPath(own), 'template', onNotOurs);
  return record === NOT_OURS ? undefined : record;
}

/** What lies at the template's place, by the record; without a record nothing is ours. */
async function lookAt(
  { fs }: ShareLayout,
  file: Place,
  record: TemplateRecord | undefined,
): Promise<'nothing' | 'newest' | 'older' | 'theirs'> {
  const facts = await lookIfThere(fs, file);
  if (facts === undefined) return 'nothing';
  if (facts.kind !== 'file' || facts.sizeBytes > MOST_BYTES || record === undefined) return 'theirs';
  const sha256 = hash('sha256', await fs.read(file, MOST_BYTES));
  if (!record.written.includes(sha256)) return 'theirs';
  return sha256 === record.written.at(-1) ? 'newest' : 'older';
}

function scratchOf(own: string): string {
  return join(own, 'template');
}

function recordPath(own: string): string {
  return join(scratchOf(own), 'template.json');
}
