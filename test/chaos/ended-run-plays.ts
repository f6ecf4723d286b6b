// What is in flight in one group of a batch while another group goes on: the request that is held, and what
// is held back until it is. All by names of files, for each of the three goes its own way.
import type { FaultOrder } from '../sandbox/control';

/** `still` is submitted as it is, `moving` is analysed first, `late` is sent beside the others. */
export type Role = 'still' | 'moving' | 'late';

interface Held {
  readonly route: 'files.create' | 'uploads.create' | 'uploads.patch' | 'revisions.create';
  readonly file: Role;
  /** Of the requests about this file. */
  readonly nth?: number;
  /** Whether it has its effect before it is held, or only when it is let go. */
  readonly when: 'before' | 'after';
}

export interface Play {
  readonly name: string;
  readonly files: readonly Role[];
  /** Undefined: nothing is held, boundaries count from the first one on. */
  readonly inFlight?: Held;
  /** Let go as soon as the other is in flight. */
  readonly firstHeld?: Held;
}

const NAMES: Readonly<Record<Role, string>> = { still: 'note.txt', moving: 'sheet.pdf', late: 'model.dat' };
/** Longer than any case. */
const HELD_MS = 600_000;
/** Longer than the time after which a file goes on beside the others. */
export const SEND_WITHIN_MS = 300;
const LATE_MS = 1_000;

/** The first request of this kind links it. */
const VALUES: Held = { route: 'uploads.patch', file: 'moving', nth: 2, when: 'before' };
const MOMENTS = ['before', 'after'] as const;
const TWO = ['still', 'moving'] as const;

/** In an order in which the first ones tell the most. */
export const PLAYS: readonly Play[] = [
  ...MOMENTS.map(
    (when): Play => ({
      name: `submission held ${when} its effect`,
      files: TWO,
      inFlight: { route: 'revisions.create', file: 'still', when },
      firstHeld: VALUES,
    }),
  ),
  ...MOMENTS.map(
    (when): Play => ({
      name: `link held ${when} its effect`,
      files: [...TWO, 'late'],
      inFlight: { route: 'uploads.patch', file: 'late', when },
      firstHeld: { route: 'uploads.patch', file: 'still', when: 'before' },
    }),
  ),
  ...MOMENTS.map(
    (when): Play => ({
      name: `creation held ${when} its effect`,
      files: TWO,
      inFlight: { route: 'uploads.create', file: 'still', when },
      firstHeld: { route: 'files.create', file: 'moving', when: 'before' },
    }),
  ),
  ...MOMENTS.map(
    (when): Play => ({
      name: `values held ${when} their effect`,
      files: TWO,
      inFlight: { ...VALUES, when },
      firstHeld: { route: 'revisions.create', file: 'still', when: 'before' },
    }),
  ),
  { name: 'nothing held', files: TWO },
];

/** Every case has names of its own, for the service tells documents by them. */
export function fileNameOf(role: Role, turn: number): string {
  return NAMES[role].replace('.', `-${turn}.`);
}

export function toFault({ route, file, nth, when }: Held, turn: number): FaultOrder {
  return {
    route,
    match: { fileName: fileNameOf(file, turn), ...(nth === undefined ? {} : { nth }) },
    action: { kind: 'delay', ms: HELD_MS, when },
  };
}

/** What gives each file its way. */
export function toWays({ files }: Play, turn: number): FaultOrder[] {
  return [
    // It finds nothing, so that the values that are missing are filled in by a second write.
    {
      route: 'analysis',
      times: 0,
      match: { fileName: fileNameOf('moving', turn) },
      action: { kind: 'analysis-error' },
    },
    ...(files.includes('late')
      ? [
          {
            route: 'storage.put',
            match: { fileName: fileNameOf('late', turn) },
            action: { kind: 'delay', ms: LATE_MS, when: 'before' },
          } satisfies FaultOrder,
        ]
      : []),
  ];
}
