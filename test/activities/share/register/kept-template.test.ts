// The template at the root of a real share, among the files of people.
import { copyFile, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../../activities/host/clock';
import type { Share } from '../../../../activities/share/share';
import { createTestBed, type TestBed } from '../share-test-bed';

const HOUR_MS = 60 * 60_000;
const SETTINGS = 'a'.repeat(64);

let bed: TestBed;
let share: Share;
let wallMs: number;

const clock: Clock = { monotonicMs: () => wallMs, wallMs: () => wallMs };

beforeEach(async () => {
  wallMs = Date.parse('2026-04-03T12:00:00Z');
  bed = await createTestBed();
  share = await bed.open({}, { clock });
});
afterEach(async () => {
  await bed.remove();
});

const file = () => join(bed.root, 'template.xlsx');
const read = async () => await readFile(file(), 'utf8');

/** @param facts one digit: what it says. */
async function put(facts: string, by = share): Promise<string> {
  const template = { facts: facts.repeat(64), settings: SETTINGS };
  return await by.putTemplate({ ...template, make: async () => Buffer.from(`says ${facts}`) });
}

const told = () => bed.logger.lines.filter(({ event }) => event === 'template-left');

test('it is written once, and anew when it says something new or is gone', async () => {
  expect(await share.lookAtTemplate(SETTINGS)).toBe('due');
  expect(await put('1')).toBe('written');
  expect(await put('1')).toBe('as-it-was');
  expect(await put('2')).toBe('written');
  expect(await read()).toBe('says 2');
  await rm(file());
  expect(await share.lookAtTemplate(SETTINGS)).toBe('due');
  expect(await put('2')).toBe('written');
  expect(await readdir(join(bed.root, '.drawbridge/template'))).toEqual(['template.json']);
  expect(told()).toEqual([]);
});

test('the service is asked once an hour at most, whoever looks, unless the settings are others', async () => {
  await put('1');
  const other = await bed.open({}, { clock });
  expect(await other.lookAtTemplate(SETTINGS)).toBe('fresh');
  expect(await other.lookAtTemplate('b'.repeat(64))).toBe('due');
  wallMs += HOUR_MS;
  expect(await other.lookAtTemplate(SETTINGS)).toBe('due');
  expect(await put('1', other)).toBe('as-it-was');
  expect(await share.lookAtTemplate(SETTINGS)).toBe('fresh');
  // The clock was set back: nothing is known of when it was asked.
  wallMs -= 2 * HOUR_MS;
  expect(await share.lookAtTemplate(SETTINGS)).toBe('due');
});

test('what a person has made of it stays, is told once, and ours comes back when it is gone', async () => {
  await put('1');
  await writeFile(file(), 'filled in');
  expect(await share.lookAtTemplate(SETTINGS)).toBe('theirs');
  expect(await put('2')).toBe('theirs');
  expect(await read()).toBe('filled in');
  expect(told()).toMatchObject([{ level: 'warn', share: 'tender', file: 'template.xlsx' }]);
  expect((await readdir(bed.root)).filter(name => name.endsWith('.xlsx'))).toEqual(['template.xlsx']);
  await rm(file());
  expect(await put('2')).toBe('written');
  await writeFile(file(), 'filled in again');
  expect(await share.lookAtTemplate(SETTINGS)).toBe('theirs');
  expect(told()).toHaveLength(2);
});

test('what a person saves there while the next one is made stays', async () => {
  await put('1');
  const make = async () => {
    await writeFile(file(), 'filled in');
    return Buffer.from('says 2');
  };
  const template = { facts: '2'.repeat(64), settings: SETTINGS, make };
  expect(await share.putTemplate(template)).toBe('theirs');
  expect(await read()).toBe('filled in');
});

test('what lay there before us is not ours: a file, a folder, a link', async () => {
  await writeFile(file(), 'of the office');
  expect(await put('1')).toBe('theirs');
  expect(await read()).toBe('of the office');
  await rm(file());
  await mkdir(file());
  expect(await put('1')).toBe('theirs');
  await rm(file(), { recursive: true });
  await writeFile(join(bed.root, 'elsewhere.xlsx'), 'elsewhere');
  await symlink(join(bed.root, 'elsewhere.xlsx'), file());
  expect(await put('1')).toBe('theirs');
  expect(await readFile(join(bed.root, 'elsewhere.xlsx'), 'utf8')).toBe('elsewhere');
});

test('an older one that a person put back is ours', async () => {
  await put('1');
  await copyFile(file(), join(bed.root, 'kept'));
  await put('2');
  await rename(join(bed.root, 'kept'), file());
  expect(await share.lookAtTemplate(SETTINGS)).toBe('due');
  expect(await put('2')).toBe('written');
  expect(await read()).toBe('says 2');
});

test('after a kill between its note and its end, what lies there is ours still, and is renewed', async () => {
  await put('1');
  await copyFile(file(), join(bed.root, 'before'));
  await put('2');
  // The note of the second one is there, and the first one lies there; or nothing does.
  await rename(join(bed.root, 'before'), file());
  expect(await put('2')).toBe('written');
  await rm(file());
  expect(await put('2')).toBe('written');
  expect(await read()).toBe('says 2');
});

test('without its record, or with one that nobody sealed, nothing is taken for ours', async () => {
  await put('1');
  const record = join(bed.root, '.drawbridge/template/template.json');
  const planted = JSON.parse(await readFile(record, 'utf8')) as { written: string[] };
  await writeFile(record, JSON.stringify({ ...planted, written: [...planted.written, 'c'.repeat(64)] }));
  expect(await put('2')).toBe('theirs');
  await rm(record);
  expect(await put('2')).toBe('theirs');
  expect(await read()).toBe('says 1');
});

test('it is handed on as long as it is ours: not one that was changed, or stands for another file', async () => {
  expect(await share.readTemplate()).toBeUndefined();
  await put('1');
  expect((await share.readTemplate())?.toString()).toBe('says 1');
  await writeFile(file(), 'changed');
  expect(await share.readTemplate()).toBeUndefined();
  await rename(file(), join(bed.root, 'elsewhere'));
  await symlink(join(bed.root, 'elsewhere'), file());
  expect(await share.readTemplate()).toBeUndefined();
});

test('another name may be given', async () => {
  const named = await bed.open({ register: { template: 'vorlage.xlsx' } }, { clock });
  expect(await put('1', named)).toBe('written');
  expect(await readFile(join(bed.root, 'vorlage.xlsx'), 'utf8')).toBe('says 1');
});
