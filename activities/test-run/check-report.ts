// The result of a test run, and its sentences: sheet, terminal and workflow say the same. Pure.
import type { ProjectRef } from '../../workflows/contract';
import type { ForetoldTally } from '../registers/words/foretold-words';
import { roundEstimate, toSpokenTime } from '../registers/words/local-time';
import { tellCount } from '../registers/words/outcome-words';
import { toReadableSize } from '../share/drop/refuse-file';
import type { Cost } from './estimate-cost';
import type { ForetoldFile } from './foretell-job';

export interface CheckReport {
  /** Always: nothing of this has happened. */
  readonly test: true;
  /** The folder's name, as the job would be called. */
  readonly folder: string;
  readonly share: string;
  readonly project: ProjectRef;
  /** ISO, UTC. */
  readonly testedAt: string;
  /** Of the times that people read. */
  readonly zone: string;
  readonly tally: ForetoldTally;
  /** Below the folder; absent without one. */
  readonly register?: string;
  /** In the order in which they would go. */
  readonly files: readonly ForetoldFile[];
  readonly notThere: readonly { readonly row: number; readonly file: string; readonly text: string }[];
  readonly ignored: readonly string[];
  /** Files that no row is about and that would stay in the folder. */
  readonly left: readonly string[];
  readonly notices: readonly string[];
  /** How many batches the files would go in. */
  readonly batches: number;
  readonly cost: Cost;
  /** Why files were not compared with what was sent before; absent where they were. */
  readonly notCompared?: string;
  /** What nobody but the service can tell. */
  readonly onlyService: readonly string[];
}

/** What the service alone knows, however well everything is prepared. */
export const ONLY_SERVICE: readonly string[] = [
  'What the service finds in a file, and so whether a row "for the service to decide" lacks a value.',
  'Whether a review stands against the revision before, which would hold the new one.',
  'Whether the service takes each file, its name and its values when it is submitted.',
  'Revisions that were made or removed in the service by hand.',
];

/** Below the folder. */
export function pathInFolder({ folder }: Pick<CheckReport, 'folder'>, path: string): string {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

/** Lines for people, each with its label before it. */
export function listLines(report: CheckReport): readonly (readonly [string, string])[] {
  const { register, ignored, left, notices, notCompared, onlyService } = report;
  return [
    ['Register', register ?? 'none'],
    ['Cost', tellCost(report)],
    ['Time', tellTime(report)],
    ...notices.map((text, at): [string, string] => [at === 0 ? 'To be seen' : '', text]),
    ...(notCompared === undefined
      ? []
      : [['Not compared', `Duplicates were not looked for: ${notCompared}.`] as const]),
    ...ignored.slice(0, MOST_IGNORED).map((path, at): [string, string] => [at === 0 ? 'Left out' : '', path]),
    ...left
      .slice(0, MOST_IGNORED)
      .map((path, at): [string, string] => [at === 0 ? 'No row, so left' : '', path]),
    ...onlyService.map((text, at): [string, string] => [at === 0 ? 'Only the service' : '', text]),
  ];
}

const MOST_IGNORED = 50;

export function tellCost({ cost: { documents, bytes, requests }, batches }: CheckReport): string {
  if (documents === 0) return 'Nothing would be sent.';
  const files = `${tellCount(documents)} ${documents === 1 ? 'file' : 'files'}`;
  const parts = batches === 1 ? 'one batch' : `${tellCount(batches)} batches`;
  return `${files}, ${toReadableSize(bytes)}, in ${parts}: ${tellCount(requests.least)} to ${tellCount(requests.most)} requests.`;
}

export function tellTime({ cost: { documents, limitMs }, testedAt, zone }: CheckReport): string {
  if (documents === 0) return 'None.';
  if (limitMs === null) return 'The service has not told its limit of requests, so the time is not known.';
  if (limitMs === 0) {
    return 'The present limit lets all these requests go at once. What the line and the service take is not known beforehand.';
  }
  const end = roundEstimate(new Date(Date.parse(testedAt) + limitMs), testedAt);
  const minutes = Math.max(1, Math.ceil(limitMs / 60_000));
  return `By the present limit of requests ${tellCount(minutes)} min: if it began now, not before ${toSpokenTime(end, testedAt, zone)}. The line and the service may take longer.`;
}
