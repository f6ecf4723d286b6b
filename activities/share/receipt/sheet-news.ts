/** What became of a corrected sheet; `path` is from the root of the share. */
export interface SheetNews {
  readonly path: string;
  /** `waits`: `why` says for what. */
  readonly kind: 'taken' | 'answered' | 'told' | 'waits' | 'trouble';
  /** Rows whose files are in the drop folder again, or go on where they were held. */
  readonly rows?: number;
  readonly told?: readonly string[];
  readonly why?: string;
  /** Of trouble: what was thrown. */
  readonly error?: unknown;
}
