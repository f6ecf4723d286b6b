// Tells a request that never left from one whose fate is unknown: undici calls `onRequestStart` when a
// connection stands and the request is about to be written to it, and not before.
import type { Dispatcher } from 'undici';

/**
 * `dispatcher`, with `onStart` called just before a request is written. If it returns an error, the request
 * is not written and fails with that error.
 */
export function watchStart(dispatcher: Dispatcher, onStart: () => Error | undefined): Dispatcher {
  return dispatcher.compose(dispatch => (options, handler) => dispatch(options, watched(handler, onStart)));
}

function watched(
  handler: Dispatcher.DispatchHandler,
  onStart: () => Error | undefined,
): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => {
      const why = onStart();
      handler.onRequestStart?.(controller, context);
      if (why !== undefined) controller.abort(why);
    },
    onRequestUpgrade: (controller, status, headers, socket) =>
      handler.onRequestUpgrade?.(controller, status, headers, socket),
    onResponseStart: (controller, status, headers, message) =>
      handler.onResponseStart?.(controller, status, headers, message),
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  };
}
