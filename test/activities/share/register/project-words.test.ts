// What a share calls the fields of its project, while the service answers and while it is away.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../../activities/host/clock';
import type { KnownField } from '../../../../activities/registers/column-words';
import type { Share, ShareDeps } from '../../../../activities/share/share';
import { createTestBed, type TestBed } from '../share-test-bed';

let bed: TestBed;
let nowMs = 0;
const clock = { ...systemClock, monotonicMs: () => nowMs };

beforeEach(async () => {
  bed = await createTestBed();
});
afterEach(async () => {
  await bed.remove();
});

const LABELLED: readonly KnownField[] = [{ name: 'name', label: 'Document Name' }];
const away = () => Promise.reject(new Error('away'));
const open = (askFields?: ShareDeps['askFields']) => bed.open({}, { clock, askFields });
const nameBy = async (share: Share) => (await share.readWords()).textOf({ document_name: 'A-101' }, 'name');

test('as the service says, and the same words until it says otherwise', async () => {
  let fields = LABELLED;
  const share = await open(async () => [...fields]);
  const words = await share.readWords();
  expect(words.labelOf('name')).toBe('Document Name');
  expect(await share.readWords()).toBe(words);
  fields = [{ name: 'name', label: 'Title' }];
  expect((await share.readWords()).labelOf('name')).toBe('Title');
  expect((await (await open(away)).readWords()).labelOf('name')).toBe('Title');
});

test('as it said last, for workers that find it away and for processes that never ask it', async () => {
  expect(await nameBy(await open(away))).toBeUndefined();
  expect(await nameBy(await open(async () => LABELLED))).toBe('A-101');
  expect(await nameBy(await open(away))).toBe('A-101');
  expect(await nameBy(await open())).toBe('A-101');
  const other = await bed.open({ project: { companyId: '1', projectId: '3' } });
  expect(await nameBy(other)).toBeUndefined();
});

test('a service that is away is asked once a minute, and what is known stays', async () => {
  let asked = 0;
  let ask: () => Promise<readonly KnownField[]> = async () => LABELLED;
  const share = await open(async () => {
    asked += 1;
    return await ask();
  });
  await nameBy(share);
  ask = away;
  for (let time = 0; time < 3; time += 1) expect(await nameBy(share)).toBe('A-101');
  expect(asked).toBe(2);
  nowMs += 60_000;
  expect(await nameBy(share)).toBe('A-101');
  expect(asked).toBe(3);
});

test('a service that never answers holds nobody up', async () => {
  await nameBy(await open(async () => LABELLED));
  let asked = 0;
  const share = await open(() => {
    asked += 1;
    return new Promise(() => undefined);
  });
  // Some seconds later, by what was kept; whoever comes next does not wait again.
  expect(await nameBy(share)).toBe('A-101');
  expect(await nameBy(share)).toBe('A-101');
  expect(asked).toBe(1);
}, 20_000);

test('what somebody else has put in its place says nothing', async () => {
  await nameBy(await open(async () => LABELLED));
  await writeFile(join(bed.root, '.drawbridge/fields/labels.json'), '{}');
  expect(await nameBy(await open())).toBeUndefined();
});
