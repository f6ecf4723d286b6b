// Refusals outside document management: the status decides, the service's own words are kept for people.
import type { Reason } from '../../workflows/contract';
import { describeRefusals } from '../../workflows/run/decide/describe-refusals';
import { isServiceError, MisconfiguredError, type ServiceError } from '../service/errors';

/** What an activity returns where the service refused: a matter for whoever asked, and no outage. */
export interface Refused {
  readonly kind: 'refused';
  readonly reason: Reason;
}

/** The error, if it is a refusal by the service, which then has applied nothing; undefined for any other. */
export function asRefusal(error: unknown): ServiceError | undefined {
  const isRefusal = isNotThere(error) || (isServiceError(error) && error.code === 'REQUEST_REFUSED');
  return isRefusal ? error : undefined;
}

/** Whether the service says that there is no such thing (any more). */
export function isNotThere(error: unknown): error is ServiceError {
  return isServiceError(error) && (error.code === 'NOT_FOUND' || error.code === 'GONE');
}

/** What `work` returns; undefined when the service says that there is no such thing (any more). */
export async function unlessGone<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error: unknown) {
    if (!isNotThere(error)) throw error;
    return undefined;
  }
}

/**
 * The error to throw where a route that belongs to the whole project answers 404 or 410: the account has lost
 * the project, or the address leads elsewhere. That says nothing of what was asked, and nobody repairs it but
 * a person. Any other error is returned as it is.
 */
export function orMisconfigured(error: unknown): unknown {
  if (!isNotThere(error)) return error;
  const { message, route, status, reasons } = error;
  return new MisconfiguredError(message, { effect: 'rejected', route, status, reasons, cause: error });
}

/**
 * What `work` returns, or that the service refused it. `what` says in people's words what it did not do
 * ("make the package"), `fix` what can be done about it.
 */
export async function orRefused<Result>(
  what: string,
  fix: string,
  work: () => Promise<Result>,
): Promise<Result | Refused> {
  try {
    return await work();
  } catch (error: unknown) {
    const refusal = asRefusal(error);
    if (refusal === undefined) throw error;
    return { kind: 'refused', reason: explainServiceError(what, refusal, fix) };
  }
}

function explainServiceError(what: string, error: ServiceError, fix: string): Reason {
  const said = describeRefusals(error.reasons);
  return {
    code: error.code === 'REQUEST_REFUSED' ? `status-${error.status ?? 'unknown'}` : error.code,
    text: `The service did not ${what} (status ${error.status ?? 'unknown'})${
      said.length === 0 ? '.' : `: ${said.join('; ')}.`
    }`,
    fix,
  };
}
