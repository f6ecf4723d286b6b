// What must never come of a neighbour on the share, judged from what lies where, by means of its own.
import { createHash, randomBytes } from 'node:crypto';
import { type Dirent, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isGone } from '../../activities/host/file-trouble';
import type { StrangerReport } from './neighbour-deeds';

/** Every private file begins with it, and no other does. */
export const CANARY = '%PDF nobody elses business';
const NAMES = ['plan.pdf', 'token.pdf', 'own.pdf'];

export interface HiddenFile {
  readonly name: string;
  readonly sha256: string;
  readonly inode: number;
  readonly links: number;
}

export interface NeighbourEvidence {
  readonly before: readonly HiddenFile[];
  /** The private folder as it is at the end; other names in it, too. */
  readonly after: readonly HiddenFile[];
  /** Files of the share, whoever can read them, with bytes of a private one. */
  readonly leaked: readonly string[];
  /** SHA-256 of all that reached the service, complete or not, and of what became revisions. */
  readonly received: readonly string[];
  readonly revisions: readonly string[];
  /** Of what was planted as a batch of ours: nothing of it may reach the service. */
  readonly planted: readonly string[];
  /** Of other people, by path: each is a revision once. */
  readonly honest: ReadonlyMap<string, string>;
  readonly report: StrangerReport;
}

/** Makes a folder that is ours alone, with files of names that strangers use, too. */
export function hide(folder: string): { readonly names: readonly string[]; readonly files: HiddenFile[] } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of NAMES) {
    const content = `${CANARY} ${name} ${randomBytes(16).toString('hex')}`;
    writeFileSync(join(folder, name), content, { mode: 0o600 });
  }
  return { names: NAMES, files: lookAtHidden(folder) };
}

export function lookAtHidden(folder: string): HiddenFile[] {
  return readdirSync(folder)
    .sort()
    .map(name => {
      const path = join(folder, name);
      const { ino, nlink, mode } = lstatSync(path);
      const sha256 = lstatSync(path).isFile() ? hashOf(readFileSync(path)) : `mode ${mode}`;
      return { name, sha256, inode: ino, links: nlink };
    });
}

/** Links are not followed: what they lead to has not come here. */
export function findLeaks(root: string): string[] {
  for (;;) {
    try {
      return findBelow(root)
        .filter(entry => entry.isFile() && readFileSync(pathOf(entry), 'utf8').includes(CANARY))
        .map(entry => relative(root, pathOf(entry)));
    } catch (error) {
      // The product is still at work: where that file has come to is seen by the next look.
      if (!isGone(error)) throw error;
    }
  }
}

/**
 * All but the folders. Node's own `readdirSync` goes through links to folders when it recurs, from Node 22
 * on.
 */
export function findBelow(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry =>
    entry.isDirectory() ? findBelow(pathOf(entry)) : [entry],
  );
}

export function pathOf({ parentPath, name }: Dirent): string {
  return join(parentPath, name);
}

/** What is wrong, as pairs of an invariant and what was found. */
export function judgeNeighbours(evidence: NeighbourEvidence): (readonly [invariant: string, what: string])[] {
  const { before, after, leaked, received, revisions, planted, honest, report } = evidence;
  const found: (readonly [string, string])[] = [];
  const told = JSON.stringify(after);
  if (told !== JSON.stringify(before)) found.push(['no private file is moved, linked or changed', told]);
  for (const path of leaked) found.push(['no private byte comes to the share', path]);
  const hidden = new Map(before.map(({ name, sha256 }) => [sha256, name]));
  for (const sha256 of [...received, ...revisions]) {
    const name = hidden.get(sha256);
    if (name !== undefined) found.push(['no private file reaches the service', name]);
    if (planted.includes(sha256)) found.push(['nothing planted reaches the service', sha256]);
  }
  for (const [path, sha256] of honest) {
    const count = revisions.filter(each => each === sha256).length;
    if (count !== 1) found.push(['files of others become revisions once', `${path}: ${count} revisions`]);
  }
  for (const what of report.reached) found.push(['a stranger gains nothing', what]);
  if (report.refused === 0 || Object.keys(report.deeds).length < 5)
    found.push(['the stranger tries', JSON.stringify(report)]);
  return found;
}

export function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
