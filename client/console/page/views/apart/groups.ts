// What was set apart, as it is shown: by reason or by job.
import type { ApartGroup, ApartPage, ApartRow } from '../../../contract/apart';
import { may } from '../../shell/me';

export interface ShownGroup {
  readonly id: string;
  readonly title: string;
  /** Rows of one job, or else of one reason. */
  readonly isJob: boolean;
  /** The same for all its rows; null where each says its own. */
  readonly cause: string | null;
  readonly cure: string | null;
  /** Why its documents would come back if they were tried as they are; null where they may go through. */
  readonly stands: string | null;
  readonly rows: readonly ApartRow[];
}

export function keyOf({ share, batchId, index }: Pick<ApartRow, 'share' | 'batchId' | 'index'>): string {
  return `${share}/${batchId}/${index}`;
}

/** Whether the person may do something about it: try it again, correct it, replace its file. */
export function mayAct({ share }: Pick<ApartRow, 'share'>): boolean {
  return may('answer', share);
}

interface Filter {
  readonly by: 'reason' | 'job';
  readonly reason?: string | undefined;
  readonly job?: string | undefined;
  readonly share?: string | undefined;
}

export function groupRows(
  { groups, rows }: ApartPage,
  { by, reason, job, share }: Filter,
): readonly ShownGroup[] {
  const wanted = rows.filter(
    row =>
      (reason === undefined || row.code === reason) &&
      (job === undefined || row.job === job) &&
      (share === undefined || row.share === share),
  );
  const reasons = new Map(groups.map(group => [group.code, group]));
  const found = new Map<string, ApartRow[]>();
  if (by === 'reason') for (const { code } of groups) found.set(code, []);
  for (const row of wanted) {
    const id = by === 'reason' ? row.code : `${row.share}/${row.job}`;
    const known = found.get(id);
    if (known === undefined) found.set(id, [row]);
    else known.push(row);
  }
  return [...found].flatMap(([id, ofIt]) => {
    const [first] = ofIt;
    if (first === undefined) return [];
    return by === 'reason' ? [ofReason(reasons.get(id), first, ofIt)] : [ofJob(id, first, ofIt)];
  });
}

function ofReason(group: ApartGroup | undefined, { code }: ApartRow, rows: readonly ApartRow[]): ShownGroup {
  return {
    id: code,
    title: group?.title ?? code,
    isJob: false,
    cause: group?.cause ?? null,
    cure: group?.cure ?? null,
    stands: group?.stands ?? null,
    rows,
  };
}

function ofJob(id: string, { jobName }: ApartRow, rows: readonly ApartRow[]): ShownGroup {
  return { id, title: jobName, isJob: true, cause: null, cure: null, stands: null, rows };
}

/**
 * The first of the rows where all are of one job that came in a folder: only then can their values be
 * corrected together. Else undefined.
 */
export function jobOfAll(rows: readonly ApartRow[]): ApartRow | undefined {
  const [first] = rows;
  if (first === undefined || !first.isJob) return undefined;
  return rows.every(({ share, job }) => share === first.share && job === first.job) ? first : undefined;
}
