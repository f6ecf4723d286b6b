// Shows that a dependency is there: whatever the service or its storage answered sensibly, it answered.

import { routeOf } from '../service/endpoint';
import { isServiceError } from '../service/errors';
import type { Sender } from '../service/service-client';
import type { Storage } from '../transfer/storage/storage';
import type { DependencyRef } from './dependency-board';

/** Told of each proof. Must not throw. */
export type Witness = (proof: DependencyRef & { readonly tried: string }) => void;

/** The storage is one dependency, whatever is put there. */
export const STORAGE_TRIED = 'put';
/** Tokens are for everything alike. */
export const AUTHENTICATION_TRIED = 'token';

/** The same sender; a refusal is an answer, too. */
export function witnessSender(sender: Sender, witness: Witness): Sender {
  return {
    send: async (endpoint, input) => {
      const answered = () => {
        witness({ dependency: 'authentication', tried: AUTHENTICATION_TRIED });
        if (endpoint.origin === 'api') witness({ dependency: 'api', tried: routeOf(endpoint) });
      };
      try {
        const answer = await sender.send(endpoint, input);
        answered();
        return answer;
      } catch (error: unknown) {
        if (isServiceError(error) && error.status !== undefined && error.status < 500 && isAnswer(error.code))
          answered();
        throw error;
      }
    },
  };
}

/** The same storage. */
export function witnessStorage(storage: Storage, witness: Witness): Storage {
  return {
    put: async input => {
      const stored = await storage.put(input);
      witness({ dependency: 'storage', tried: STORAGE_TRIED });
      return stored;
    },
  };
}

function isAnswer(code: string): boolean {
  return code !== 'SERVICE_UNAVAILABLE' && code !== 'LOGIN_REQUIRED';
}
