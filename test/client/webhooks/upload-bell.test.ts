// Hints to batches: the batch that has the upload is told, seldom enough, and nothing depends on it.
import { once } from 'node:events';
import { type BatchesOnTheirWay, UploadBell } from '../../../client/webhooks/upload-bell';

/** Between two rounds; far above what telling takes. */
const LEAST_MS = 300;

class FakeBatches extends EventTarget implements BatchesOnTheirWay {
  readonly uploads = new Map<string, string[]>();
  readonly told: {
    readonly workflowId: string;
    readonly uploadIds: readonly string[];
    readonly atMs: number;
  }[] = [];
  lists = 0;
  asked = 0;
  isAway = false;

  async list(projectId: string) {
    this.lists++;
    this.dispatchEvent(new Event('listed'));
    if (this.isAway) throw new Error('away');
    return [...this.uploads.keys()]
      .filter(workflowId => workflowId.startsWith(`ingest/${projectId}/`))
      .map(workflowId => ({ workflowId, startedMs: Date.now() - 60_000 }));
  }

  async uploadsOf(workflowId: string) {
    this.asked++;
    const uploads = this.uploads.get(workflowId);
    if (uploads === undefined) throw new Error('not open yet');
    return uploads;
  }

  async look(workflowId: string, uploadIds: readonly string[]) {
    this.told.push({ workflowId, uploadIds, atMs: performance.now() });
    this.dispatchEvent(new Event('told'));
  }
}

let batches: FakeBatches;
let bell: UploadBell;
const warned: unknown[] = [];
beforeEach(() => {
  warned.length = 0;
  batches = new FakeBatches();
  batches.uploads.set('ingest/7001/a', ['U1', 'U2']);
  batches.uploads.set('ingest/7001/b', ['U3']);
  batches.uploads.set('ingest/7002/c', ['U4']);
  bell = new UploadBell(batches, { warn: facts => void warned.push(facts) }, LEAST_MS);
});
afterEach(() => bell.close());

async function untilTold(count: number): Promise<void> {
  while (batches.told.length < count) await once(batches, 'told');
}

async function untilListed(count: number): Promise<void> {
  while (batches.lists < count) await once(batches, 'listed');
}

test('the batch that has the upload is told at once, no other one', async () => {
  bell.ring({ projectId: '7001', uploadId: 'U3' });
  await untilTold(1);
  expect(batches.told).toMatchObject([{ workflowId: 'ingest/7001/b', uploadIds: ['U3'] }]);
});

test('of a flood a batch hears once in a while, and of all uploads together', async () => {
  for (let count = 0; count < 200; count++) bell.ring({ projectId: '7001', uploadId: 'U1' });
  await untilTold(1);
  for (let count = 0; count < 200; count++) bell.ring({ projectId: '7001', uploadId: `U${1 + (count % 2)}` });
  await untilTold(2);
  const [first, second] = batches.told;
  expect(second!.uploadIds).toEqual(['U1', 'U2']);
  expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(LEAST_MS - 20);
  expect(batches.lists).toBe(1);
});

test('what belongs to no batch leads to one round of asking in a while, and to no hint', async () => {
  for (let count = 0; count < 5_000; count++) bell.ring({ projectId: '7001', uploadId: `forged-${count}` });
  bell.ring({ projectId: '7002', uploadId: 'U1' });
  bell.ring({ projectId: '', uploadId: 'U1' });
  bell.ring({ projectId: '7001', uploadId: '' });
  // The first of the flood, the other project, and once for all the others of the flood.
  await untilListed(3);
  await new Promise(setImmediate);
  bell.ring({ projectId: '7001', uploadId: 'U2' });
  await untilTold(1);
  expect(batches.told).toMatchObject([{ workflowId: 'ingest/7001/a', uploadIds: ['U2'] }]);
  expect(batches.lists).toBe(3);
  expect(batches.asked).toBe(3);
});

test('a batch that began since is found, an old one is not asked again each time', async () => {
  bell.ring({ projectId: '7001', uploadId: 'U1' });
  await untilTold(1);
  batches.uploads.set('ingest/7001/new', ['U9']);
  bell.ring({ projectId: '7001', uploadId: 'U9' });
  await untilTold(2);
  expect(batches.told.at(-1)).toMatchObject({ workflowId: 'ingest/7001/new', uploadIds: ['U9'] });
  expect(batches.asked).toBe(3);
});

test('while Temporal is away hints are lost, said once, and later ones are told again', async () => {
  batches.isAway = true;
  bell.ring({ projectId: '7001', uploadId: 'U1' });
  while (warned.length === 0) await new Promise(setImmediate);
  batches.isAway = false;
  bell.ring({ projectId: '7001', uploadId: 'U1' });
  await untilTold(1);
  expect(warned).toHaveLength(1);
});
