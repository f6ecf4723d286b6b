// What the tests of corrected sheets need around them: a share on which each look is a second after the one
// before, and a folder that has come as far as its sheet.
import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { systemClock } from '../../../../activities/host/clock';
import type { DropEntry } from '../../../../activities/share/drop/scan-drop';
import type { Share } from '../../../../activities/share/share';
import { createTestBed, submitted, type TestBed } from '../share-test-bed';

/** In memory: these tests sync thousands of times. */
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

let monotonicMs = 0;
const clock = {
  ...systemClock,
  monotonicMs: () => {
    monotonicMs += 1_000;
    return monotonicMs;
  },
};

export async function createSheetBed(): Promise<TestBed> {
  const bed = await createTestBed(PLACE);
  return {
    ...bed,
    open: (overrides = {}, deps = {}) =>
      bed.open({ settleMs: 1, scanEveryMs: 10, ...overrides }, { clock, ...deps }),
  };
}

/** Another share, as this one is now. */
export async function copySheetBed({ root }: TestBed): Promise<TestBed> {
  const bed = await createSheetBed();
  await cp(root, bed.root, { recursive: true, preserveTimestamps: true });
  return bed;
}

export async function listDrop(share: Share): Promise<DropEntry[]> {
  const entries: DropEntry[] = [];
  for await (const name of share.scan()) {
    const entry = await share.look(name);
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

/** All that lies in the drop folder, as one batch of the job of the folder A. */
export async function beginJob(share: Share) {
  const entries = await listDrop(share);
  const job = await share.openJob('A', await share.readRegister('A', entries));
  const { batch } = await share.claim(entries, { job });
  const { batchId } = await share.writeManifest(batch!);
  const { manifest } = await share.readBatch(batchId!);
  return { job, batchId: batchId!, manifest };
}

/** The same to its receipt: what `through` names, below the folder, became a revision. */
export async function finishJob(
  share: Share,
  through: readonly string[],
  code = 'unknown-value',
): Promise<void> {
  const { job, batchId, manifest } = await beginJob(share);
  const reason = { code, text: 'Row 3, column C: "Plam" is none.', fix: 'Mend it.' };
  const outcomes = manifest.files.map(({ index, path }) =>
    through.includes(path.slice(2)) ? submitted(index) : { index, kind: 'set-apart' as const, reason },
  );
  await share.closeJob(job);
  await share.settleUp(batchId, outcomes, { final: true });
  await share.settleJob(job.jobId);
}
