// What a run says that it has made, also one that a worker of an earlier release carries.
import type { ObservationProgress } from '../../workflows/observations/observation-contract';

const MISSING = 'Files are missing: ';

/** undefined: nothing yet, or the run ends once it is made, and its result says it. */
export function madeOf({ made, step, notes }: ObservationProgress): ObservationProgress['made'] {
  if (made !== undefined) return made;
  // A worker of 0.1.0 has these sentences alone. They are read until no such worker can be there any more.
  const [, id] = /^Observation (\d+) .*waits for the signal/.exec(step) ?? [];
  if (id === undefined) return undefined;
  const missing = notes.find(note => note.startsWith(MISSING));
  return { id, ...(missing === undefined ? {} : { missingFiles: missing.slice(MISSING.length) }) };
}
