// What becomes of bytes that pass in chunks: a SHA-256 or a seal.

/**
 * The running hash, or seal, of one stream of chunks. A chunk must not be written to before its
 * promise settles.
 */
export interface StreamHash {
  update(shared: SharedArrayBuffer, length: number): Promise<void>;
  /** The last chunk; returns the hash or seal, lower-case hex. */
  finish(shared: SharedArrayBuffer, length: number): Promise<string>;
  /** For a stream that ends early. */
  abandon(): void;
}
