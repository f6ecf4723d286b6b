// Refusals outside document management: the status decides, the service's own words are kept for people.
import type { Reason } from '../../workflows/contract';
import { describeRefusals } from '../../workflows/run/decide/describe-refusals';
import { isServiceError, type ServiceError } from '../service/errors';

/** Refused by the service, nothing applied: an answer for whoever asked, not an outage. */
export function asRefusal(error: unknown): ServiceError | undefined {
  if (!isServiceError(error)) return undefined;
  return error.code === 'REQUEST_REFUSED' || error.code === 'NOT_FOUND' || error.code === 'GONE'
    ? error
    : undefined;
}

/** `what` says in people's words what the service did not do: "make the package". */
export function explainRequestRefusal(what: string, error: ServiceError, fix: string): Reason {
  const said = describeRefusals(error.reasons);
  return {
    code: error.code === 'REQUEST_REFUSED' ? `status-${error.status ?? 'unknown'}` : error.code,
    text: `The service did not ${what} (status ${error.status ?? 'unknown'})${
      said.length === 0 ? '.' : `: ${said.join('; ')}.`
    }`,
    fix,
  };
}
