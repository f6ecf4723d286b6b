/** A file that a register lists, and for which its folder waits. */
export type AwaitedFile =
  /** `file`: what the row calls it. */
  | { readonly kind: 'missing'; readonly file: string }
  /** The row may mean the one at `path` below the folder, or another one that is not there yet. */
  | { readonly kind: 'doubtful'; readonly file: string; readonly path: string };

/** For people. */
export function tellAwaited(awaited: AwaitedFile): string {
  const { file } = awaited;
  return awaited.kind === 'missing' ? file : `${file} (${awaited.path} if nothing else comes)`;
}
