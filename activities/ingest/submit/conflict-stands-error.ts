/**
 * Nothing failed: workflows of earlier revisions still run, and the documents are looked at again at
 * `retryAtMs`.
 */
export class ConflictStandsError extends Error {
  /** `CONFLICT_UNTOLD`: what became of an earlier request for one of them is not known yet. */
  readonly code: 'CONFLICT_STANDS' | 'CONFLICT_UNTOLD';
  /** Unix ms, by this host's clock. */
  readonly retryAtMs: number;

  constructor(documents: number, retryAtMs: number, isUntold: boolean) {
    super(`workflows of earlier revisions stand against ${documents} documents; they are looked at again`);
    this.name = 'ConflictStandsError';
    this.code = isUntold ? 'CONFLICT_UNTOLD' : 'CONFLICT_STANDS';
    this.retryAtMs = retryAtMs;
  }
}
