/** What an activity waits for has not happened yet: nothing is away or failed. It looks again later. */
export class NotYetError extends Error {
  readonly code = 'NOT_YET';
  /** Unix ms. */
  readonly retryAtMs: number;

  constructor(message: string, retryAtMs: number) {
    super(message);
    this.retryAtMs = retryAtMs;
  }
}
