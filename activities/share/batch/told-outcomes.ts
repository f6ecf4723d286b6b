// What the journal of a batch knows better than a run that was reset to an earlier moment: a revision is
// permanent, and the response that told its id came only once; and other uploads may have been submitted.
import type { UploadId } from '../../../workflows/contract';
import type { DocumentOutcome } from '../../../workflows/ingest/ingest-contract';
import { keepFew } from '../../host/keep-few';
import type { BatchPaths } from '../files/share-layout';
import { foldJournal } from './fold-journal';
import { readJournal } from './journal';

/**
 * The run's outcomes, preceded by the submissions that the journal has of the same documents. Of documents
 * that the run still carries, nothing is added.
 */
export async function withToldOutcomes(
  paths: BatchPaths,
  outcomes: readonly DocumentOutcome[],
  onBad: (name: string, why: string) => void,
): Promise<readonly DocumentOutcome[]> {
  const ended = new Set(outcomes.map(({ index }) => index));
  const known = foldJournal(await readJournal(paths, onBad, 'outcome'));
  const told = known.flatMap(({ index, outcome }) =>
    outcome?.kind === 'submitted' && ended.has(index) ? [outcome] : [],
  );
  return [...told, ...outcomes];
}

type Upload = { readonly index: number; readonly uploadId: UploadId };
type Submitted = Extract<DocumentOutcome, { kind: 'submitted' }>;

/** An upload of a document for which another upload was about to be submitted before. */
export interface FormerIntent extends Upload {
  /** The other upload, which was about to be submitted before this one. */
  readonly before: UploadId;
  /** Where it is known that the document became a revision. */
  readonly submitted?: Submitted;
}

const MAX_BATCHES = 64;

/**
 * Finds intents of other uploads of the same documents. Only a reset by hand leads to such: a run goes on
 * with the upload that it was about to submit. What was read of a record is kept, for none ever changes: each
 * look lists the journal, and reads the intents that came since the last one.
 */
export class FormerIntents {
  readonly #batches = new Map<string, Map<string, readonly Upload[]>>();

  async findFor(
    paths: BatchPaths,
    uploads: readonly Upload[],
    onBad: (name: string, why: string) => void,
  ): Promise<readonly FormerIntent[]> {
    const read = this.#ofBatch(paths.batchId);
    const isNew = (name: string) => name.includes('-intent-') && !read.has(name);
    for (const { name, record } of await readJournal(paths, onBad, isNew)) {
      if (record.kind === 'intent') read.set(name, record.uploads);
    }
    const intents = [...read.values()].flat();
    const former = uploads.flatMap(upload => {
      const other = intents.findLast(one => one.index === upload.index && one.uploadId !== upload.uploadId);
      return other === undefined ? [] : [{ ...upload, before: other.uploadId }];
    });
    if (former.length === 0) return [];
    const known = new Map(
      foldJournal(await readJournal(paths, onBad, 'outcome')).map(one => [one.index, one]),
    );
    return former.map(({ index, uploadId, before }) => {
      const outcome = known.get(index)?.outcome;
      return { index, uploadId, before, ...(outcome?.kind === 'submitted' ? { submitted: outcome } : {}) };
    });
  }

  /** For a share that was away: it may have come back as another file system. */
  forgetAll(): void {
    this.#batches.clear();
  }

  #ofBatch(batchId: string): Map<string, readonly Upload[]> {
    const read = this.#batches.get(batchId) ?? new Map<string, readonly Upload[]>();
    keepFew(this.#batches, batchId, read, MAX_BATCHES);
    return read;
  }
}
