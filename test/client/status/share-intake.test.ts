// What `status` says of a share that takes nothing in, and of batches that nobody, or somebody else, carries.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describeStatus } from '../../../client/commands/status';
import { createPaint } from '../../../client/session/terminal-text';
import {
  describeIntakes,
  inspectIntake,
  type ShareIntake,
  unseenIntake,
  withEndedRuns,
} from '../../../client/status/share-intake';
import { aHolder, claimAll, createTestBed, type TestBed } from '../../activities/share/share-test-bed';

const { temporal: ours } = aHolder('x', 'one');
let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});
afterEach(async () => bed.remove());

const textOf = (intake: ShareIntake) =>
  describeIntakes([intake], 'drawbridge', createPaint({ isTTY: false } as NodeJS.WriteStream));

test('of a share where all is well nothing is said', async () => {
  const intake = await inspectIntake(await bed.open(), ours);
  expect(intake).toMatchObject({ stoppedBy: null, open: 0, stopped: [], heldElsewhere: [] });
  expect(intake).not.toHaveProperty('watchedBy');
  expect(textOf(intake)).toBe('');
});

test('a share with as many batches on their way as may be takes nothing in, until one is stopped', async () => {
  const share = await bed.open({ maxOpenBatches: 1 });
  await bed.drop('a.pdf');
  const { batchId } = await claimAll(share);
  const full = await inspectIntake(share, ours);
  expect(full).toMatchObject({ stoppedBy: 'full', open: 1, maxOpen: 1, stopped: [] });
  expect(textOf(full)).toContain('takes nothing in: 1 of at most 1 batches are on their way');
  await share.temporals.noteStopped(batchId, 'failed');
  const stopped = await inspectIntake(share, ours);
  expect(stopped).toMatchObject({ stoppedBy: null, open: 0, stopped: [batchId] });
  expect(textOf(stopped)).toContain(
    `batch ${batchId} has no run any more. Why, and to go on: drawbridge resume --share ${share.name}`,
  );
});

test('planted folders neither fill a share nor go unsaid', async () => {
  const share = await bed.open({ maxOpenBatches: 1 });
  for (const name of ['a', 'b'])
    mkdirSync(join(bed.root, `.drawbridge/batches/20260131-093000-aaaaa${name}/files/x`), {
      recursive: true,
    });
  const intake = await inspectIntake(share, ours);
  expect(intake).toMatchObject({ stoppedBy: null, open: 0, unfinished: [], stopped: [] });
  expect(textOf(intake)).toMatch(
    /2 batches \(20260131-093000-aaaaaa, 20260131-093000-aaaaab\) in \.drawbridge\/batches were not made by Drawbridge/,
  );
});

test('what was taken by mistake is named, with where it lies', async () => {
  const share = await bed.open();
  const kept = '.drawbridge/mistaken/20260131-093000-aaaaaa';
  mkdirSync(join(bed.root, kept), { recursive: true });
  const intake = await inspectIntake(share, ours);
  expect(intake).toMatchObject({ stoppedBy: null, mistaken: ['20260131-093000-aaaaaa'] });
  expect(textOf(intake)).toMatch(
    /for batch 20260131-093000-aaaaaa something else was taken .*\.drawbridge\/mistaken/,
  );
});

test('a batch of another key fills no share, and is neither called planted nor to be dropped again', async () => {
  await bed.drop('a.pdf');
  const { batchId } = await claimAll(await bed.open());
  rmSync(join(bed.root, '.drawbridge/key-id'));
  const share = await bed.open({ maxOpenBatches: 1 }, { key: Buffer.alloc(32, 8) });
  const intake = await inspectIntake(share, ours);
  expect(intake).toMatchObject({ stoppedBy: null, open: 0, unfinished: [], otherKey: [batchId] });
  expect(intake).not.toHaveProperty('notOurs');
  expect(textOf(intake)).toMatch(
    new RegExp(
      `batch ${batchId} .* sealed with another key than this host has.*drop none of its files again`,
    ),
  );
  expect(textOf(intake)).not.toContain('can be dropped again');
});

test('a share without room takes nothing in', async () => {
  const share = await bed.open({ minFreeBytes: Number.MAX_SAFE_INTEGER });
  const intake = await inspectIntake(share, ours);
  expect(intake.stoppedBy).toBe('no-space');
  expect(textOf(intake)).toContain('hardly any room');
});

test('another Temporal that watches the share, or carries a batch of it, is named with the way to follow it', async () => {
  const share = await bed.open();
  await bed.drop('a.pdf');
  const { batchId } = await claimAll(share);
  const other = aHolder('x', 'two');
  await share.temporals.hold(batchId, other);
  await share.temporals.watchFor(other.temporal);
  const intake = await inspectIntake(share, ours);
  expect(intake).toMatchObject({
    stoppedBy: 'watched-elsewhere',
    watchedBy: { namespace: 'namespace-two' },
    heldElsewhere: [{ batchId, temporal: { namespace: 'namespace-two' } }],
  });
  expect(textOf(intake)).toMatch(
    /watched by another Temporal: namespace "namespace-two".*stood still for 15 min.*resume --take-over/,
  );
  expect(textOf(intake)).toContain(`drawbridge resume ${batchId} --take-over`);
  const status = { away: [], unserved: [], shares: [intake], batches: [], waiting: [], others: [] };
  expect(describeStatus(status, 'drawbridge', new Date())).not.toContain('No batches yet');
  // Seen from there, all is its own.
  expect(await inspectIntake(share, other.temporal)).toMatchObject({ stoppedBy: null, heldElsewhere: [] });
});

test('a run that was just ended is told before a watcher has come by, unless another one goes on for it', async () => {
  const share = await bed.open();
  await bed.drop('a.pdf');
  const { batchId } = await claimAll(share);
  const intake = await inspectIntake(share, ours);
  const after = (...statuses: string[]) =>
    withEndedRuns(
      [intake],
      [...statuses.map(status => ({ batchId, status })), { batchId: 'finished', status: 'FAILED' }],
    );
  expect(intake.stopped).toEqual([]);
  expect(after('CANCELLED')).toMatchObject([{ stopped: [batchId] }]);
  expect(after('CANCELLED').map(textOf).join()).toContain(`batch ${batchId} has no run any more`);
  expect(after('RUNNING', 'CANCELLED')).toMatchObject([{ stopped: [] }]);
  const held = { batchId, temporal: aHolder('x', 'two').temporal };
  expect(
    withEndedRuns([{ ...intake, heldElsewhere: [held] }], [{ batchId, status: 'FAILED' }]),
  ).toMatchObject([{ stopped: [] }]);
});

test('of a share that cannot be seen from here nothing is guessed', () => {
  const text = textOf(unseenIntake('tender', 8, 'it is not mounted here, or was never used'));
  expect(text).toContain('Share tender: cannot be seen from here');
  expect(text).not.toContain('takes nothing in');
});
