// Names that are left where they lie: noise, and what is not finished yet. Pure, for the page asks as well.

const NOISE_NAMES = new Set([
  'thumbs.db',
  'desktop.ini',
  'ehthumbs.db',
  '$recycle.bin',
  'system volume information',
]);
const PARTIAL_ENDINGS = [
  '.part',
  '.partial',
  '.crdownload',
  '.tmp',
  '.temp',
  '.filepart',
  '.download',
  '.opdownload',
  '.!ut',
  '.aria2',
];

/**
 * Noise of operating systems and programs, and names that mean "not finished yet": left where they are. Names
 * that begin with a dot are among them (`.DS_Store`, `._x`, `.~lock.x#`, `.nfs0123`).
 */
export function isIgnoredName(name: string): boolean {
  if (name.startsWith('.') || name.startsWith('~$')) return true;
  const lower = name.toLowerCase();
  return NOISE_NAMES.has(lower) || PARTIAL_ENDINGS.some(ending => lower.endsWith(ending));
}
