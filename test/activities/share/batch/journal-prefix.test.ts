// A journal that ends anywhere, in the middle of a record too, reads as a state that the batch was really in.
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { foldJournal } from '../../../../activities/share/batch/fold-journal';
import { appendRecord, readJournal } from '../../../../activities/share/batch/journal';
import { Seals } from '../../../../activities/share/files/seals';
import { createNodeShareFs } from '../../../../activities/share/files/share-fs';
import { openBatchPaths } from '../../../../activities/share/files/share-layout';
import type { FileUploadId, RevisionId, UploadId } from '../../../../workflows/contract';
import type { JournalRecord } from '../../../../workflows/ingest/ingest-contract';
import { useTemporaryFolder } from '../../../setup/temporary-folder';

const BATCH = '20260131-093000-k3f5a2';
const UPLOADS = [0, 1, 2].map(index => ({ index, uploadId: `U${index}` as UploadId }));
/** The whole way of three documents. */
const RECORDS: readonly JournalRecord[] = [
  { kind: 'created', uploads: UPLOADS },
  {
    kind: 'transferred',
    files: UPLOADS.map(({ index }) => ({
      index,
      fileUploadId: `F${index}` as FileUploadId,
      openedAtMs: 1_000 + index,
    })),
  },
  { kind: 'completed', uploads: UPLOADS },
  { kind: 'intent', uploads: UPLOADS.slice(0, 1) },
  { kind: 'intent', uploads: UPLOADS.slice(1) },
  {
    kind: 'outcome',
    outcomes: UPLOADS.map(({ index, uploadId }) => ({
      index,
      uploadId,
      kind: 'submitted' as const,
      revisionId: `R${index}` as RevisionId,
      paired: 'certain' as const,
      submittedAtMs: 2_000,
    })),
  },
];
/** Of each record, beside its first byte and all but its last ones. */
const CUTS = 6;

const folderOf = useTemporaryFolder();
const fs = createNodeShareFs();

async function writeStory(): Promise<{ journal: string; names: string[]; read: () => Promise<unknown> }> {
  const seals = new Seals(Buffer.alloc(32, 7));
  const project = { companyId: '1', projectId: '2' };
  const paths = openBatchPaths({ fs, seals, project, batches: folderOf() }, BATCH);
  await mkdir(paths.folder, { recursive: true });
  for (const [turn, record] of RECORDS.entries()) {
    await appendRecord(paths, record, Date.UTC(2026, 0, 31, 9, 30, turn));
  }
  const read = async () => foldJournal(await readJournal(paths, () => undefined));
  return { journal: paths.journal, names: readdirSync(paths.journal).sort(), read };
}

/** The last character is a line end and not missed. */
function cutsOf(sizeBytes: number): number[] {
  const inside = Array.from({ length: CUTS }, (_, turn) => Math.floor(((turn + 1) * sizeBytes) / (CUTS + 1)));
  return [1, ...inside, sizeBytes - 2];
}

test('whatever is torn off its end, what is left is the state before the torn record', async () => {
  const { journal, names, read } = await writeStory();
  expect(names).toHaveLength(RECORDS.length);
  for (const name of names.toReversed()) {
    const path = join(journal, name);
    const whole = await read();
    const text = readFileSync(path);
    truncateSync(path, 0);
    const before = await read();
    expect(before).not.toEqual(whole);
    for (const length of cutsOf(text.length)) {
      writeFileSync(path, text.subarray(0, length));
      expect(await read()).toEqual(before);
    }
    truncateSync(path, 0);
  }
  expect(await read()).toEqual([]);
});
