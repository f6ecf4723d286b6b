// A look at a share leaves it as it was, and sees who watches it.
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type LookAtShareInput, lookAtShare } from '../../../client/doctor/look-at-share';
import { loadConfig } from '../../../workers/config/config';
import { aHolder, createTestBed, SHARE_KEY, type TestBed } from '../../activities/share/share-test-bed';

const { temporal: ours } = aHolder('x', 'one');
const { temporal: theirs } = aHolder('x', 'two');
const config = loadConfig({ environment: {}, workingFolder: '/nowhere' });
let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});
afterEach(async () => bed.remove());

const probe = async (folder: string) => ({ kind: existsSync(folder) ? 'reachable' : 'missing' }) as const;
const lookAt = (input: Partial<LookAtShareInput> = {}) =>
  lookAtShare({ config, share: bed.config, key: SHARE_KEY, ours, probe, ...input });
const everything = () =>
  readdirSync(bed.root, { recursive: true, encoding: 'utf8' })
    .sort()
    .map(path => `${path} ${statSync(join(bed.root, path)).mode.toString(8)}`);

test('nothing is left behind, and all is seen', async () => {
  const share = await bed.open();
  await share.temporals.watchFor(ours);
  await share.temporals.beat(ours);
  const before = everything();
  const { opened } = await lookAt();
  expect(opened).toMatchObject({
    value: {
      traits: { value: { hasLinks: true } },
      freeBytes: { value: expect.any(Number) },
      watch: { value: { isOurs: true, silentMs: expect.any(Number) } },
      intake: { stoppedBy: null, open: 0 },
    },
  });
  expect(everything()).toEqual(before);
});

test('another Temporal is named; while nobody knows which one is ours, that is not decided', async () => {
  const share = await bed.open();
  await share.temporals.watchFor(theirs);
  const { opened } = await lookAt();
  expect(opened).toMatchObject({
    value: { watch: { value: { isOurs: false, temporal: { id: theirs.id }, silentMs: undefined } } },
  });
  expect(await lookAt({ ours: undefined })).toMatchObject({
    opened: { value: { intake: undefined, watch: { value: { isOurs: undefined } } } },
  });
});

test('what is missing or open to others is a fault, and is not made or closed', async () => {
  await bed.open();
  rmSync(join(bed.root, 'done'), { recursive: true });
  const { faults } = await lookAt();
  expect(faults).toMatchObject([{ setting: 'done', text: expect.stringContaining('is not there') }]);
  mkdirSync(join(bed.root, 'done'));
  chmodSync(join(bed.root, '.drawbridge'), 0o755);
  const before = everything();
  expect((await lookAt()).faults).toMatchObject([
    { setting: '.drawbridge', text: expect.stringContaining('open to others') },
  ]);
  expect(everything()).toEqual(before);
});

test('a share of another key, of no key, never used, and not there', async () => {
  expect(await lookAt()).toMatchObject({ own: { kind: 'missing' } });
  await bed.open();
  expect(await lookAt({ key: Buffer.alloc(32, 8) })).toMatchObject({ faults: [{ setting: 'shareKey' }] });
  const unread = await lookAt({ key: undefined });
  expect(unread).toMatchObject({ keyId: expect.stringMatching(/^[0-9a-f]{16}$/) });
  expect(unread).not.toHaveProperty('opened');
  const away = { ...bed.config, folder: join(bed.root, 'away') };
  expect(await lookAt({ share: away })).toMatchObject({ root: { kind: 'missing' } });
  expect(readdirSync(bed.root)).not.toContain('away');
});
