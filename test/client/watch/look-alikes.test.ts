// Names that are not UTF-8 are shown with the same sign for whatever cannot be read: two of them can look
// alike, and are two all the same.
import { createTestBed, type TestBed } from '../../activities/share/share-test-bed';
import { QUICK, RunningWatcher } from './watch-test-bed';

let bed: TestBed;
let watcher: RunningWatcher | undefined;

beforeEach(async () => {
  bed = await createTestBed();
});

afterEach(async () => {
  await watcher?.stop();
  await bed.remove();
});

test('names that look alike are claimed each by itself, and again when they are dropped again', async () => {
  const names = [Buffer.from([0x61, 0xff]), Buffer.from([0x61, 0xfe])];
  watcher = new RunningWatcher(await bed.open(QUICK));
  for (const turn of [1, 2]) {
    for (const name of names) await bed.drop(name, `turn ${turn}`);
    expect(await watcher.claimed(2 * turn)).toHaveLength(2 * turn);
  }
});
