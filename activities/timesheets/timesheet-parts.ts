// What the activities of timesheets have in common: how a call names its project, what is told of a sheet,
// and how a refusal is explained.
import type { ProjectRef, Reason } from '../../workflows/contract';
import { describeRefusals } from '../../workflows/run/decide/describe-refusals';
import type { ActivityScope } from '../scope/activity-scope';
import type { Timesheet } from '../service/endpoints/timesheets';
import type { ServiceError } from '../service/errors';
import { isMarked } from './pair-timecards';
import type { TimesheetFacts } from './timesheets-api';

export type Scope = Pick<ActivityScope, 'signal'>;

export function inProject<More extends Readonly<Record<string, string>>>(
  { companyId, projectId }: ProjectRef,
  scope?: Scope,
  more?: More,
) {
  return { companyId, params: { projectId, ...(more as More) }, signal: scope?.signal };
}

export function toFacts({ id, name, status }: Timesheet): TimesheetFacts {
  return { id, name, status };
}

/**
 * Whether this source has begun the sheet: by the marks of our entries alone it is found again, and where the
 * service shows those that were deleted, by theirs as well.
 */
export function isBegun({ entries }: Pick<Timesheet, 'entries'>, prefix: string): boolean {
  return entries.some(entry => isMarked(entry, prefix));
}

/** The service's own words are kept for people; nothing is decided by them. */
export function explainRowRefusal(error: ServiceError): Reason {
  const words = describeRefusals(error.reasons).join(' ');
  return {
    code: `refused-${error.status ?? 'unknown'}`,
    text: words === '' ? `The service refused it (${error.status ?? 'no status'}).` : words,
    fix: 'Correct the row and start again with the whole list; what is entered already stays as it is.',
  };
}
