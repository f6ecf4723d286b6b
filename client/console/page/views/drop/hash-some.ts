// Checksums of chosen files for a test, worked out in the browser: of those that are not sent for it.

/** Files that may be registers. */
export const SHEET = /\.(?:xlsx|xlsm|csv)$/i;
/** Larger files are not hashed: a browser has no way but to read a file whole. */
const MOST_HASHED_BYTES = 64_000_000;
const MOST_HASHED_IN_ALL = 512_000_000;

interface Hashable {
  readonly path: string;
  readonly file: { readonly size: number; arrayBuffer(): Promise<ArrayBuffer> };
}

/** SHA-256 by path; none where the page came over plain HTTP from another machine: browsers refuse there. */
export async function hashSome(files: readonly Hashable[]): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  const subtle = crypto.subtle as typeof crypto.subtle | undefined;
  let inAll = 0;
  for (const { path, file } of files) {
    if (file.size > MOST_HASHED_BYTES || file.size === 0 || SHEET.test(path)) continue;
    if (subtle === undefined || inAll + file.size > MOST_HASHED_IN_ALL) break;
    inAll += file.size;
    const digest = new Uint8Array(await subtle.digest('SHA-256', await file.arrayBuffer()));
    hashes[path] = [...digest].map(byte => byte.toString(16).padStart(2, '0')).join('');
  }
  return hashes;
}
