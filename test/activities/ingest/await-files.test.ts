// Waiting for the service to release files, against the stand-in: a file is blamed beside others only.
import { awaitFiles } from '../../../activities/ingest/await-files';
import { Releases } from '../../../activities/ingest/releases';
import { InternalServiceError, NotFoundError } from '../../../activities/service/errors';
import type { Sender } from '../../../activities/service/service-client';
import { NotReleasedError } from '../../../activities/transfer/errors';
import type { FileUploadId } from '../../../workflows/contract';

const PROJECT = { companyId: '1', projectId: '2' };
const MINUTE_MS = 60_000;
/** How long after its report the run hears of a file. */
const HEARD_MS = 2_000;
const START_MS = Date.UTC(2031, 0, 1);

/** A service that knows of each session whether it is available. */
class Scanner {
  readonly released = new Set<string>();
  readonly gone = new Set<string>();
  readonly broken = new Set<string>();
  looks: string[] = [];

  readonly client: Sender = {
    send: async (_endpoint: unknown, input: unknown) => {
      const { fileUploadId } = (input as { params: { fileUploadId: string } }).params;
      this.looks.push(fileUploadId);
      if (this.gone.has(fileUploadId)) {
        throw new NotFoundError('gone', { effect: 'rejected', route: 'GET /a/{id}', status: 404 });
      }
      if (this.broken.has(fileUploadId))
        throw new InternalServiceError('500', { effect: 'unknown', status: 500 });
      const status = this.released.has(fileUploadId) ? 'available' : 'complete';
      return { data: { id: fileUploadId, status, freshSegments: [] } };
    },
  } as Sender;
}

function files(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    index,
    fileUploadId: `F${index}` as FileUploadId,
    openedAtMs: START_MS + index - 1_000,
    reportedAtMs: START_MS + index,
    heardAtMs: START_MS + HEARD_MS,
  }));
}

let scanner: Scanner;
let releases: Releases;
let nowMs: number;
beforeEach(() => {
  scanner = new Scanner();
  nowMs = START_MS;
  releases = new Releases();
});

async function look(
  count: number,
  at: {
    minutes: number;
    attempt?: number;
    releasedMs?: number;
    passed?: readonly number[];
    tellsLong?: true;
  },
) {
  nowMs = START_MS + at.minutes * MINUTE_MS;
  return await awaitFiles(
    { client: scanner.client, releases },
    {
      project: PROJECT,
      files: files(count).map(file => ({
        ...file,
        ...(at.passed?.includes(file.index) ? { isPassed: true as const } : {}),
      })),
      releasedMs: at.releasedMs ?? 0,
      linkWithinMs: 20 * 60 * MINUTE_MS,
      ...(at.tellsLong === undefined ? {} : { tellsLong: at.tellsLong }),
    },
    { signal: new AbortController().signal, attempt: at.attempt ?? 1, temporalMs: () => nowMs },
  );
}

test('an outage of the scanner is waited for: no file is blamed, none sent again, few are looked at', async () => {
  for (const [attempt, minutes] of [1, 11, 30, 180, 900].entries()) {
    await expect(look(10, { minutes, attempt: attempt + 1 })).rejects.toBeInstanceOf(NotReleasedError);
  }
  expect(scanner.looks.length).toBeLessThanOrEqual(10);
});

test('that none is released for long is told once that is asked for, and no sooner', async () => {
  await expect(look(2, { minutes: 9, tellsLong: true })).rejects.toBeInstanceOf(NotReleasedError);
  expect(await look(2, { minutes: 11, attempt: 2, tellsLong: true })).toEqual({
    files: [],
    releasedMs: 0,
    again: [],
    overdue: [],
    isLong: true,
  });
  scanner.broken.add('F0').add('F1');
  await expect(look(2, { minutes: 12, tellsLong: true })).rejects.toBeInstanceOf(InternalServiceError);
});

test('is repeated within a minute', async () => {
  const beforeMs = Date.now();
  const error = await look(3, { minutes: 15 }).catch((caught: unknown) => caught as NotReleasedError);
  const { retryAtMs } = error as NotReleasedError;
  expect(retryAtMs).toBeGreaterThanOrEqual(beforeMs + MINUTE_MS);
  expect(retryAtMs).toBeLessThanOrEqual(Date.now() + MINUTE_MS);
});

test('when one is released, all the others are looked at', async () => {
  for (const { fileUploadId } of files(5)) scanner.released.add(fileUploadId);
  const answer = await look(5, { minutes: 30 });
  expect(answer.files.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
  expect(answer.releasedMs).toBe(START_MS + 4);
});

test('what was passed over is overdue; what was not waits', async () => {
  scanner.released.add('F2');
  const answer = await look(4, { minutes: 11, attempt: 3, passed: [0, 1] });
  expect(answer.files.map(({ index }) => index)).toEqual([2]);
  expect(answer.overdue.map(({ index, reason }) => [index, reason.code])).toEqual([
    [0, 'never-available'],
    [1, 'never-available'],
  ]);
});

test('another host’s date counts only when it is later than when the file was heard of', async () => {
  releases.note(PROJECT, START_MS + HEARD_MS, START_MS + HEARD_MS);
  await expect(look(1, { minutes: 60 })).rejects.toBeInstanceOf(NotReleasedError);
  const releasedMs = START_MS + HEARD_MS;
  await expect(look(1, { minutes: 60, releasedMs })).rejects.toBeInstanceOf(NotReleasedError);
  expect((await look(1, { minutes: 60, releasedMs: releasedMs + 1 })).overdue).toMatchObject([{ index: 0 }]);
});

test('of a run of an earlier version, its own date counts', async () => {
  nowMs = START_MS + 11 * MINUTE_MS;
  const begun = files(1).map(({ heardAtMs: _, ...file }) => file);
  const { overdue } = await awaitFiles(
    { client: scanner.client, releases },
    { project: PROJECT, files: begun, releasedMs: START_MS + 1, linkWithinMs: 20 * 60 * MINUTE_MS },
    { signal: new AbortController().signal, attempt: 1, temporalMs: () => nowMs },
  );
  expect(overdue).toMatchObject([{ index: 0 }]);
});

test('one whose look is never answered holds back no other, is blamed for nothing, and waits in sight', async () => {
  for (const { fileUploadId } of files(4)) scanner.released.add(fileUploadId);
  scanner.broken.add('F1');
  const answer = await look(4, { minutes: 30 });
  expect(answer.files.map(({ index }) => index)).toEqual([0, 2, 3]);
  expect([answer.again, answer.overdue]).toEqual([[], []]);
  scanner.broken.add('F0');
  await expect(look(1, { minutes: 31 })).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
});

test('a file of another batch that passed later is evidence as well', async () => {
  await expect(look(1, { minutes: 60 })).rejects.toBeInstanceOf(NotReleasedError);
  releases.note({ companyId: '1', projectId: '3' }, START_MS + MINUTE_MS, nowMs);
  await expect(look(1, { minutes: 60 })).rejects.toBeInstanceOf(NotReleasedError);
  releases.note(PROJECT, START_MS + MINUTE_MS, nowMs);
  expect((await look(1, { minutes: 60 })).overdue).toMatchObject([{ index: 0 }]);
});

test('what was reported by a clock that has been set back since is no evidence, now or later', async () => {
  nowMs = START_MS + 60 * MINUTE_MS;
  releases.note(PROJECT, nowMs, nowMs);
  const releasedMs = nowMs;
  await expect(look(1, { minutes: 1, releasedMs })).rejects.toBeInstanceOf(NotReleasedError);
  await expect(look(1, { minutes: 11, releasedMs })).rejects.toBeInstanceOf(NotReleasedError);
  // The run asks again without it (`late.ts`).
  await expect(look(1, { minutes: 70 })).rejects.toBeInstanceOf(NotReleasedError);
  releases.note(PROJECT, START_MS + MINUTE_MS, nowMs);
  expect((await look(1, { minutes: 71 })).overdue).toMatchObject([{ index: 0 }]);
});

test('a session that is gone, and bytes that are about to be dropped, are sent again without blame', async () => {
  scanner.gone.add('F0');
  expect(await look(1, { minutes: 1 })).toMatchObject({ again: [0], overdue: [], files: [] });
  scanner.gone.clear();
  expect(await look(2, { minutes: 20 * 60 + 1, releasedMs: START_MS + 9 })).toMatchObject({
    again: [0, 1],
    overdue: [],
  });
});
