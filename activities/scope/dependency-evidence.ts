// Shows that a dependency is there: any sensible response of the service or its storage is proof of that.

import { routeOf } from '../service/endpoint';
import { isServiceError } from '../service/errors';
import type { Sender } from '../service/service-client';
import type { Storage } from '../transfer/storage/storage';
import type { DependencyRef } from './dependency-board';

/** Told of each proof. Must not throw. */
export type TellProof = (proof: DependencyRef & { readonly tried: string }) => void;

/** The storage is one dependency, whatever is put there. */
export const STORAGE_TRIED = 'put';
/** Getting a token is one thing to try, whichever request needs it. */
export const AUTHENTICATION_TRIED = 'token';

/** The same sender, whose responses are told as proofs; a refusal (a status below 500) is one, too. */
export function provingSender(sender: Sender, tellProof: TellProof): Sender {
  return {
    send: async (endpoint, input) => {
      const showProof = () => {
        tellProof({ dependency: 'authentication', tried: AUTHENTICATION_TRIED });
        if (endpoint.origin === 'api') tellProof({ dependency: 'api', tried: routeOf(endpoint) });
      };
      try {
        const response = await sender.send(endpoint, input);
        showProof();
        return response;
      } catch (error: unknown) {
        if (
          isServiceError(error) &&
          error.status !== undefined &&
          error.status < 500 &&
          isResponse(error.code)
        )
          showProof();
        throw error;
      }
    },
  };
}

/** The same storage; each PUT that it took is told as a proof. */
export function provingStorage(storage: Storage, tellProof: TellProof): Storage {
  return {
    put: async input => {
      const stored = await storage.put(input);
      tellProof({ dependency: 'storage', tried: STORAGE_TRIED });
      return stored;
    },
  };
}

function isResponse(code: string): boolean {
  return code !== 'SERVICE_UNAVAILABLE' && code !== 'LOGIN_REQUIRED';
}
