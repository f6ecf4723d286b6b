/** A promise that is settled by hand, as Promise.withResolvers gives it (which Node 20 does not have). */
export function withResolvers<Value = void>() {
  let resolve: (value: Value) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<Value>((onValue, onReason) => {
    resolve = onValue;
    reject = onReason;
  });
  return { promise, resolve, reject };
}
