// What is kept of a document's waits that nobody had to end: its place in the line of its revisions, and
// refusals because of workflows that run in the service. What people were asked is kept with their answers.

type Policy = 'ask' | 'terminate' | 'wait' | 'set-apart';

export type KeptWait = {
  readonly sinceMs: number;
  /** What it waited for, as it was seen last. */
  readonly why: string;
} & (
  | {
      readonly what: 'in-line';
      /** When its turn had come; absent where that was not seen. */
      readonly untilMs?: number | undefined;
    }
  | {
      /** From the first of its refusals to the last. */
      readonly what: 'workflow-conflict';
      readonly untilMs: number;
      readonly times: number;
      /** The share's conflict policy, which decided what the refusals led to. */
      readonly policy: Policy;
    }
);

/** How many are kept of one document: the latest ones. */
const MOST_KEPT = 5;
/** Paths may be of any length. */
const MOST_CHARACTERS = 400;

type Waits = readonly KeptWait[] | undefined;

/** It stands in line. A run that goes on in the place of another goes on with its wait. */
export function standInLine(waits: Waits = [], sinceMs: number, behind: string): readonly KeptWait[] {
  const last = waits.at(-1);
  const why = behind.slice(0, MOST_CHARACTERS);
  if (last?.what === 'in-line' && last.untilMs === undefined)
    return [...waits.slice(0, -1), { ...last, why }];
  return keep(waits, { what: 'in-line', sinceMs, why });
}

export function leaveLine(waits: Waits, atMs: number): Waits {
  const last = waits?.at(-1);
  if (waits === undefined || last?.what !== 'in-line') return waits;
  return [...waits.slice(0, -1), { ...last, untilMs: atMs }];
}

/** Refusals with no other wait between them are kept as one. */
export function meetConflict(
  waits: Waits = [],
  { atMs, why, policy, times = 1 }: { atMs: number; why: string; policy: Policy; times?: number },
): readonly KeptWait[] {
  const last = waits.at(-1);
  const now = {
    what: 'workflow-conflict',
    untilMs: atMs,
    why: why.slice(0, MOST_CHARACTERS),
    policy,
  } as const;
  if (last?.what !== now.what) return keep(waits, { ...now, sinceMs: atMs, times });
  return [...waits.slice(0, -1), { ...now, sinceMs: last.sinceMs, times: last.times + times }];
}

function keep(waits: readonly KeptWait[], one: KeptWait): readonly KeptWait[] {
  return [...waits, one].slice(-MOST_KEPT);
}
