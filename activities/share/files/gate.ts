// Lets only so many operations run at one time; the others wait in order.

export type Gate = <T>(operation: () => Promise<T>) => Promise<T>;

/** @param places how many may run at once, at least 1. */
export function createGate(places: number): Gate {
  let free = places;
  const waiting: (() => void)[] = [];

  return async operation => {
    if (free > 0) free -= 1;
    else await new Promise<void>(resolve => waiting.push(resolve));
    try {
      return await operation();
    } finally {
      // The place goes straight to the next in line; it is free only when nobody waits.
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
