/**
 * Nothing failed: workflows of earlier revisions still run, and the documents are looked at again at
 * `retryAtMs`.
 */
export class ConflictStandsError extends Error {
  readonly code = 'CONFLICT_STANDS';
  /** Unix ms. */
  readonly retryAtMs: number;

  constructor(documents: number, retryAtMs: number) {
    super(`workflows of earlier revisions stand against ${documents} documents; they are looked at again`);
    this.name = 'ConflictStandsError';
    this.retryAtMs = retryAtMs;
  }
}
