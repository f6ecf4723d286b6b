import type { TransferFilesInput } from '../../../activities';
import { Releases } from '../../../activities/ingest/releases';
import { transferBatchFiles } from '../../../activities/ingest/transfer-batch-files';
import { GoneError, NotFoundError } from '../../../activities/service/errors';
import { ProjectEvidence } from '../../../activities/transfer/evidence';
import type { FileProgress } from '../../../activities/transfer/ports';
import { TransferBed } from '../transfer/transfer-bed';

const HOUR_MS = 3_600_000;
const OPENED = new Error('a session is opened');

let bed: TransferBed;

beforeEach(async () => {
  bed = await TransferBed.create();
});

afterEach(async () => await bed.close());

/** Takes up a file that is available already, in a session of that age. */
async function takeUp(
  ageMs: number,
  more: Pick<TransferFilesInput, 'linkWithinMs'>,
  known: Partial<FileProgress> = {},
  isRetried = false,
  error: Error = OPENED,
  aheadMs = 0,
) {
  const { storage, hashing, clock } = bed;
  const file = await bed.folder.file('begun.bin', 10);
  const client = { send: () => Promise.reject(error) };
  const share = { fileToSend: async () => file, appendRecord: async () => undefined };
  const progress = {
    sessionId: 'S1',
    openedAtMs: clock.wallMs() - aheadMs - ageMs,
    partEtags: ['etag'],
    finished: true,
    available: true,
    ...known,
  };
  const input = {
    batchId: 'B1',
    project: { companyId: '1', projectId: '2' },
    indexes: [0],
    isLong: true,
    ...(isRetried ? {} : { begun: [{ index: 0, progress }] }),
    ...more,
  };
  const lastDetails = isRetried ? { 0: progress } : undefined;
  const scope = {
    signal: new AbortController().signal,
    lastDetails,
    report: () => undefined,
    temporalMs: () => clock.wallMs() - aheadMs,
  };
  const evidence = new ProjectEvidence();
  const deps = { client, engine: { storage, hashing, clock }, releases: new Releases(), evidence };
  return await transferBatchFiles(deps as never, share as never, input as never, scope as never);
}

describe('a session that an earlier call has opened', () => {
  test('is used as long as the batch links it', async () => {
    const { files } = await takeUp(19 * HOUR_MS, { linkWithinMs: 20 * HOUR_MS });
    expect(files).toMatchObject([{ fileUploadId: 'S1' }]);
  });

  test('is left when the batch would not link it any more', async () => {
    await expect(takeUp(21 * HOUR_MS, { linkWithinMs: 20 * HOUR_MS })).rejects.toBe(OPENED);
  });

  test('is left before the service deletes it, however long the batch links', async () => {
    await expect(takeUp(23.5 * HOUR_MS, { linkWithinMs: 24 * HOUR_MS })).rejects.toBe(OPENED);
  });

  test('of a run that does not say how long it links is used for 23 hours', async () => {
    const { files } = await takeUp(21 * HOUR_MS, {});
    expect(files).toMatchObject([{ fileUploadId: 'S1' }]);
  });
});

test.each([
  ['ahead', 5 * HOUR_MS],
  ['behind', -5 * HOUR_MS],
])('where the date of the host is %s, a session counts from when it was opened', async (_, aheadMs) => {
  const within = { linkWithinMs: 20 * HOUR_MS };
  const temporalMs = bed.clock.wallMs() - aheadMs;
  const reportedAtMs = temporalMs - HOUR_MS;
  const known = { openedAtMs: temporalMs - 19 * HOUR_MS, reportedAtMs };
  const { files, releasedMs } = await takeUp(0, within, known, false, OPENED, aheadMs);
  // Rounded when it is read and when it is told.
  expect(Math.abs(Number(files[0]?.openedAtMs) - known.openedAtMs)).toBeLessThanOrEqual(2);
  expect(Math.abs(Number(releasedMs) - reportedAtMs)).toBeLessThanOrEqual(2);
  await expect(takeUp(21 * HOUR_MS, within, {}, false, OPENED, aheadMs)).rejects.toBe(OPENED);
});

test.each([
  ['a call before', false],
  ['an attempt before', true],
])('a file that was too slow in three sessions, as %s told, is set apart', async (_, isRetried) => {
  const slow = { finished: false, available: false, tooSlow: 2 };
  const { refused } = await takeUp(21 * HOUR_MS, { linkWithinMs: 20 * HOUR_MS }, slow, isRetried);
  expect(refused).toMatchObject([{ index: 0, reason: { code: 'too-slow' } }]);
});

test.each([
  [404, NotFoundError],
  [410, GoneError],
])(
  'where no session can be opened for a %d, the project is to be seen to by a person',
  async (status, Said) => {
    const said = new Said('no such project', { effect: 'rejected', status });
    const opening = takeUp(23.5 * HOUR_MS, {}, {}, false, said);
    await expect(opening).rejects.toMatchObject({ code: 'MISCONFIGURED', status });
  },
);
