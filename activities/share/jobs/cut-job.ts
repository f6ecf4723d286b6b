// Cuts the files of a job that are to go now into batches. Pure.

export interface CutLimits {
  readonly maxFiles: number;
  readonly maxBytes: number;
}

/** From the beginning on, each as full as can be. A file larger than the limit of bytes travels alone. */
export function cutJob<Entry extends { readonly sizeBytes: number }>(
  entries: readonly Entry[],
  limits: CutLimits,
): Entry[][] {
  const batches: Entry[][] = [];
  let batch: Entry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const isFull = batch.length >= limits.maxFiles || bytes + entry.sizeBytes > limits.maxBytes;
    if (isFull && batch.length > 0) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(entry);
    bytes += entry.sizeBytes;
  }
  return batch.length > 0 ? [...batches, batch] : batches;
}
