// One-line bugs that a tired engineer could write, each with the tests that must notice it.

/**
 * Where a bug belongs to, as in the table of README's "How it is built"; the service's
 * client and so on by themselves.
 */
export const ROOMS = [
  'workflows',
  'activities',
  'service',
  'transfer',
  'share',
  'workers',
  'client',
] as const;
export type Room = (typeof ROOMS)[number];

export interface Bug {
  readonly room: Room;
  /** The file it is put into. */
  readonly file: string;
  /** Test files, one of which must fail. */
  readonly tests: readonly string[];
  /** Only tests whose name matches this (jest's -t): where a whole file would take long. */
  readonly only?: string;
  /** What the product would do wrong. */
  readonly why: string;
  /** Stands in the file exactly once. */
  readonly from: string;
  readonly to: string;
  /** Known to be noticed by nothing, because it changes nothing that can be seen; says why. Not counted. */
  readonly harmless?: string;
  /** Why a hang of its tests is how it shows; of any other a hang proves nothing but that time went by. */
  readonly hangs?: string;
}

/** What is said of a bug besides. */
export type BugRemark = Required<Pick<Bug, 'harmless'>> | Required<Pick<Bug, 'hangs'>>;

export type BugRow = readonly [why: string, from: string, to: string, remark?: BugRemark];

/** The bugs of one file that the same tests notice. */
export function bugsIn(
  room: Room,
  file: string,
  tests: string | readonly string[],
  rows: readonly BugRow[],
  only?: string,
): readonly Bug[] {
  return rows.map(([why, from, to, remark]) => ({
    room,
    file,
    tests: typeof tests === 'string' ? [tests] : tests,
    ...(only === undefined ? {} : { only }),
    why,
    from,
    to,
    ...remark,
  }));
}

/** The file with the bug in it, or undefined where what it replaces is not there exactly once. */
export function putIn(text: string, { from, to }: Pick<Bug, 'from' | 'to'>): string | undefined {
  const parts = text.split(from);
  return parts.length === 2 ? parts.join(to) : undefined;
}

/** What became of a bug. */
export type Fate =
  | 'killed'
  /** The tests did not come to an end in a multiple of their time. */
  | 'hung'
  | 'survived'
  /** The code it was made for has changed. */
  | 'does not apply'
  /** The file cannot be loaded with it, or its tests were red without it: it proves nothing. */
  | 'proves nothing';

export interface Judged {
  readonly bug: Bug;
  readonly fate: Fate;
  readonly seconds: number;
  /** Of what proves nothing, and of what a test noticed once only: why. */
  readonly detail?: string;
}

export interface Score {
  readonly room: Room | 'all';
  /** Killed, or hung where that is how it shows. */
  readonly noticed: number;
  /** Hung where nobody has said that it shows so: noticed by nobody but the clock. */
  readonly hung: number;
  readonly survived: number;
  readonly counted: number;
  /** Of those that are noticed. */
  readonly percent: number;
}

export function isNoticed({ bug, fate }: Pick<Judged, 'bug' | 'fate'>): boolean {
  return fate === 'killed' || (fate === 'hung' && bug.hangs !== undefined);
}

/** What is harmless counts neither way; what proves nothing is not noticed, and has not survived. */
export function scoreOf(judged: readonly Judged[], room: Room | 'all' = 'all'): Score {
  const counted = judged.filter(
    ({ bug }) => bug.harmless === undefined && (room === 'all' || bug.room === room),
  );
  const noticed = counted.filter(isNoticed).length;
  const hung = counted.filter(one => one.fate === 'hung' && !isNoticed(one)).length;
  const survived = counted.filter(({ fate }) => fate === 'survived').length;
  const percent = counted.length === 0 ? 100 : Math.floor((1_000 * noticed) / counted.length) / 10;
  return { room, noticed, hung, survived, counted: counted.length, percent };
}
