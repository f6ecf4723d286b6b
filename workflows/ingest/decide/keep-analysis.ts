// What is kept of the analysis of a document, so that people can see what it is worth: how long it was waited
// for, what it filled, what it left empty, and what others have put in place of what it had found.

interface FoundValue {
  readonly label: string;
  readonly value: string;
}

/** `from`: a `ValueSource`. */
interface Stored extends FoundValue {
  readonly from?: string | undefined;
}

/** How far the service's own look at a file has come; absent where it takes none, or does not say so. */
export interface SeenAnalysis {
  /** How long until it was seen to have ended, or looking ended; 0 for a single look. */
  readonly waitedMs: number;
  /** Labels of fields that it filled; absent for none. */
  readonly found?: readonly string[];
  /** Labels of fields that nobody has filled, though a value is required or a default waits for it. */
  readonly lacked?: readonly string[];
}

/** How long the analysis of the service was waited for, and what it gave. */
export interface KeptAnalysis {
  readonly waitedMs: number;
  /** Absent where it had ended well by then. */
  readonly end?: 'late' | 'failed' | undefined;
  /** Labels of the fields that it filled, and of those that it left empty; absent for none. */
  readonly found?: readonly string[] | undefined;
  readonly lacked?: readonly string[] | undefined;
  /** What it had found where the value is another's now; absent for none. */
  readonly replaced?: readonly FoundValue[] | undefined;
}

/** As it was when it had ended, or its time had. */
export type EndedAnalysis = Omit<KeptAnalysis, 'found' | 'replaced'> & {
  readonly found: readonly FoundValue[];
};

interface ReadAnalysis {
  readonly analysed: boolean;
  readonly analysisFailed: boolean;
  readonly stored: readonly Stored[];
  readonly analysis?: SeenAnalysis;
}

/**
 * What an analysis came to; undefined where there was none, or the service does not say.
 * @param waitedMs how long it was waited for at least.
 */
export function endAnalysis(
  { analysed, analysisFailed, stored, analysis }: ReadAnalysis,
  waitedMs: number,
): EndedAnalysis | undefined {
  if (analysis === undefined) return undefined;
  const { found = [], lacked = [] } = analysis;
  const end = analysed ? (analysisFailed ? 'failed' : undefined) : 'late';
  return {
    waitedMs: Math.max(waitedMs, analysis.waitedMs),
    ...(end === undefined ? {} : { end }),
    found: stored.flatMap(({ label, value }) => (found.includes(label) ? [{ label, value }] : [])),
    ...(lacked.length === 0 ? {} : { lacked }),
  };
}

/** @param stored as the receipt will have them: what is another's, or says something else, is replaced. */
export function concludeAnalysis({ found, ...rest }: EndedAnalysis, stored: readonly Stored[]): KeptAnalysis {
  const last = new Map(stored.map(value => [value.label, value]));
  const replaced = found.filter(({ label, value }) => {
    const now = last.get(label);
    return now !== undefined && (now.from !== 'service' || now.value !== value);
  });
  return {
    ...rest,
    ...(found.length === 0 ? {} : { found: found.map(({ label }) => label) }),
    ...(replaced.length === 0 ? {} : { replaced }),
  };
}
