// How calls to Temporal are tried again. The SDK waits for that in a timer of its own; where the connection
// was closed meanwhile, the timer throws, which ends the process, and whoever asked never hears of it.
import {
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type NextCall = Parameters<Interceptor>[1];
type Call = ReturnType<NextCall>;
type Metadata = Parameters<Call['start']>[0];

/** Of gRPC; the SDK does not try it again. */
const CANCELLED = 1;

/** For every connection: as the SDK tries calls again, until the connection is closed. */
export const CALL_RETRIES: Interceptor[] = [
  makeGrpcRetryInterceptor(defaultGrpcRetryOptions()),
  endOnceClosed(),
];

/** Stands behind the one that tries again: it sees each attempt of a call, with the options of that call. */
function endOnceClosed(): Interceptor {
  const begun = new WeakSet<object>();
  const next = (options: Parameters<NextCall>[0], nextCall: NextCall): Call => {
    if (!begun.has(options)) {
      begun.add(options);
      return nextCall(options);
    }
    try {
      return nextCall(options);
    } catch (error) {
      return endedCall((error as Error).message);
    }
  };
  // The type asks for a class; gRPC uses what the interface has.
  return next as Interceptor;
}

function endedCall(details: string): Call {
  const nothing = (): void => undefined;
  return {
    start: (metadata, listener) => {
      const status = { code: CANCELLED, details, metadata: emptied(metadata) };
      setImmediate(() => listener?.onReceiveStatus?.(status));
    },
    sendMessage: nothing,
    sendMessageWithContext: nothing,
    halfClose: nothing,
    cancelWithStatus: nothing,
    startRead: nothing,
    getPeer: () => '',
    getAuthContext: () => null,
  };
}

/** What went out with the call has the key in it; an error is printed. */
function emptied(metadata: Metadata): Metadata {
  const empty = metadata.clone();
  for (const key of Object.keys(empty.getMap())) empty.remove(key);
  return empty;
}
