// Names for the boundaries of effects that stay the same from run to run: ids, times
// and random parts are taken out.

/** Folders of the case; what happens elsewhere is no boundary. */
export interface Roots {
  readonly share: string;
  readonly state: string;
}

const ORDER: readonly (readonly [RegExp, string])[] = [
  [/\d{8}-\d{6}-[a-z2-7]{6}/g, '<batch>'],
  [/\.tmp-[\w-]+/g, '<tmp>'],
  // Records of the journal: time, kind, chance.
  [/\d{8}T\d{9}Z-([a-z-]+)-[0-9a-f]+/g, '<$1>'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>'],
  [/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, '<id>'],
  [/\b[0-9a-f]{12,}\b/g, '<id>'],
  // Where a corrected sheet of a job comes together with its files.
  [/<id> [\w-]{12}(?= |\/|$)/g, '<id> <chance>'],
  [/\b(finished|ledger)\/\d{6}/g, '$1/<month>'],
  [/\b\d{1,9}(?=\.(sock|json|keys)\b)/g, '<n>'],
  [/owner-\d+/g, 'owner-<n>'],
  // What a process of that number is about to put in place.
  [/(\.json)\.\d+\b/g, '$1.<n>'],
];

/** A path as it is called in boundaries; undefined outside the roots. */
export function nameTarget(path: string, { share, state }: Roots): string | undefined {
  const inShare = below(path, share);
  if (inShare !== undefined) return normalise(inShare === '' ? 'share' : inShare);
  const inState = below(path, state);
  return inState === undefined ? undefined : normalise(`state/${inState}`);
}

/** Method and path of a request without its ids and without its query: presigned addresses are secrets. */
export function nameRequest(method: string, path: string): string {
  const [route = ''] = path.split('?');
  const parts = normalise(route)
    .split('/')
    .map(part => (/^\d+$/.test(part) || part.length > 40 ? '<id>' : part));
  return `${method} ${parts.join('/')}`;
}

/** Whether a request only asks: of many alike, the first two stand for all. */
export function isReadOnly(boundary: string): boolean {
  return /^http (GET \S+|POST \S*selected_uploads\S*)/.test(boundary);
}

/** `name #3` is the third of its name in the process. */
export function ordinalOf(boundary: string): number {
  return Number(/#(\d+)$/.exec(boundary)?.[1] ?? 1);
}

/** What a boundary is one of, such as `rename batch.json after`. */
export function kindOf(boundary: string): string {
  return boundary.replace(/ #\d+$/, '');
}

function below(path: string, root: string): string | undefined {
  if (path === root) return '';
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined;
}

function normalise(text: string): string {
  return ORDER.reduce((named, [pattern, name]) => named.replaceAll(pattern, name), text);
}
