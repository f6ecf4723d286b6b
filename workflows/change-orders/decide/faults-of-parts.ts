// What is wrong with the parts of a change order beside each other: two of one name, more than a run carries.
import { originIdsOf } from './plan-change-order';

/** Each costs some forty events of the run's history. */
const MOST_POTENTIALS = 100;

interface PartsFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

interface RawPart {
  readonly key?: string;
  readonly raw: unknown;
}

/** Of an input as it was given: whatever else is wrong with it is told beside these. */
export function faultsOfParts(input: unknown): readonly PartsFault[] {
  const faults = [...findRepeated(input, 'lineItems', 'l', []), ...findRepeated(input, 'requests', 'r', [])];
  let count = 0;
  for (const [at, request] of partsIn(input, 'requests').entries()) {
    const path = ['requests', at];
    faults.push(...findRepeated(request.raw, 'potentialChangeOrders', 'p', path));
    for (const [place, potential] of partsIn(request.raw, 'potentialChangeOrders').entries()) {
      count++;
      faults.push(
        ...findRepeated(potential.raw, 'lineItems', 'l', [...path, 'potentialChangeOrders', place]),
      );
    }
  }
  if (count > MOST_POTENTIALS) {
    const message = `${count} potential change orders are more than one run carries (${MOST_POTENTIALS}); make more than one change order of it`;
    faults.push({ path: ['requests'], message });
  }
  return faults;
}

/** A part is named by its key, or by its place: a key can be the name that another one has by its place. */
function findRepeated(
  parent: unknown,
  list: string,
  letter: 'r' | 'p' | 'l',
  path: readonly (string | number)[],
): readonly PartsFault[] {
  const ids = originIdsOf('', letter, partsIn(parent, list));
  // Whatever was given has come here, also more than a list may have.
  const known = new Set<string>();
  return ids.flatMap((id, index) => {
    if (!known.has(id)) {
      known.add(id);
      return [];
    }
    const message = `"${id.slice(1)}" names another one beside it; give it another "key"`;
    return [{ path: [...path, list, index], message }];
  });
}

function partsIn(parent: unknown, list: string): readonly RawPart[] {
  const raws = (parent as Readonly<Record<string, unknown>> | null | undefined)?.[list];
  if (!Array.isArray(raws)) return [];
  return raws.map((raw: unknown) => {
    const key = (raw as { readonly key?: unknown } | null | undefined)?.key;
    return { raw, ...(typeof key === 'string' ? { key } : {}) };
  });
}
