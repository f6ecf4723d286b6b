// The values that a list offers, made ready to be asked for in thousands of rows.
import { foldText } from '../host/fold-text';
import { type Candidate, type Resolution, resolveCandidate } from '../host/resolve-value';

export interface Choices {
  /** The id of the one value that is meant; otherwise why there is none, with the nearest ones. */
  resolve(text: string): Resolution;
}

/**
 * Spellings compared to find the nearest ones: a column of the wrong kind would hold up everybody for
 * minutes.
 */
const MOST_COMPARED = 100_000;

/**
 * Each text is looked up once. After very many wrong texts, further ones are answered without the nearest
 * values.
 */
export function choicesOf(candidates: readonly Candidate[]): Choices {
  const resolutions = new Map<string, Resolution>();
  const written = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    for (const spelling of new Set(spellingsOf(candidate).map(foldText))) {
      const same = written.get(spelling);
      if (same === undefined) written.set(spelling, [candidate]);
      else same.push(candidate);
    }
  }
  let comparisonsLeft = MOST_COMPARED;
  const look = (text: string): Resolution => {
    const meant = written.get(foldText(text));
    if (meant === undefined) {
      comparisonsLeft -= written.size;
      if (comparisonsLeft < 0) return { kind: 'unknown', nearest: [] };
    }
    const among = resolveCandidate(text, meant ?? []);
    // The nearest ones are looked for in the whole list.
    const isFound = among.kind === 'resolved' || among.kind === 'ambiguous';
    return isFound ? among : resolveCandidate(text, candidates);
  };
  return {
    resolve: text => {
      const resolution = resolutions.get(text) ?? look(text);
      resolutions.set(text, resolution);
      return resolution;
    },
  };
}

/** Every way in which a value may be written, also as our own messages write it. */
function spellingsOf({ id, label, alternatives }: Candidate): readonly string[] {
  return [id, label, ...alternatives, ...[id, ...alternatives].map(code => `${label} (${code})`)];
}
