// Boundaries on the network: undici tells of every request when it is made, written, answered and over; the
// Temporal client's calls pass through one function.
import { subscribe } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import type { PassBoundary } from './boundaries-counter';
import { nameRequest } from './boundaries-names';

interface RequestMessage {
  readonly request: { readonly method: string; readonly path: string };
}

/** In the order in which they happen. */
const MOMENTS: Readonly<Record<string, string>> = {
  'undici:request:create': 'before',
  'undici:client:sendHeaders': 'begun',
  'undici:request:bodyChunkSent': 'under way',
  'undici:request:bodySent': 'sent',
  'undici:request:headers': 'answered',
  'undici:request:trailers': 'over',
};

export function watchRequests(pass: PassBoundary): void {
  for (const [channel, moment] of Object.entries(MOMENTS)) {
    subscribe(channel, message => {
      const { method, path } = (message as RequestMessage).request;
      pass(`http ${nameRequest(method, path)} ${moment}`);
    });
  }
}

type UnaryCall = (this: unknown, path: string, ...rest: unknown[]) => unknown;

/** @param from a module of the product: its own copy of the gRPC client is the one that is watched. */
export function watchTemporalCalls(from: string, pass: PassBoundary): void {
  const temporal = createRequire(createRequire(from).resolve('@temporalio/client'));
  const { Client } = temporal('@grpc/grpc-js') as { Client: { prototype: { makeUnaryRequest: UnaryCall } } };
  const original = Client.prototype.makeUnaryRequest;
  Client.prototype.makeUnaryRequest = function watched(path, ...rest) {
    const name = `temporal ${path.slice(path.lastIndexOf('/') + 1)}`;
    const answered = rest.pop() as (...answer: unknown[]) => void;
    pass(`${name} before`);
    const call = original.call(this, path, ...rest, (...answer: unknown[]) => {
      pass(`${name} answered`);
      answered(...answer);
    });
    pass(`${name} begun`);
    return call;
  };
}
