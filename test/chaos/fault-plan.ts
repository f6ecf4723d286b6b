// What goes wrong in one case of the random faults. A pure function of the seed: by route and ordinal, by
// file, or by what the log shows, never by time.
import type { FaultOrder, ProjectEdit } from '../sandbox/control';
import { ownFaults, REQUEST_FAULTS, ROUTES, SILENT_ACTIONS } from './fault-kinds';
import { oddNames } from './fault-names';
import { SeededChance } from './fault-random';

/** When something is done: after so many requests at a route, or once a file has come so far. */
export type Moment =
  | { readonly route: string; readonly count: number }
  | { readonly completed: string }
  | { readonly claimed: string };

export type Deed =
  | { readonly kind: 'kill-worker' | 'restart-worker' | 'kill-watcher' }
  /** The worker is stopped and goes on later, when another has long taken over. */
  | { readonly kind: 'freeze-worker' }
  /** Temporal forgets everything; both processes are killed. */
  | { readonly kind: 'lose-database' }
  | {
      readonly kind: 'outage';
      readonly host: 'api' | 'auth' | 'storage';
      readonly how: 'refuse' | 'reset' | 'silent';
      readonly ms: number;
    }
  | { readonly kind: 'expire-tokens' | 'revoke-tokens' }
  | { readonly kind: 'share-away' | 'drop-replaced'; readonly ms: number }
  | { readonly kind: 'rewrite' | 'remove' | 'drop-again' | 'plant'; readonly path: string }
  | { readonly kind: 'start-again'; readonly how: 'same' | 'other-input' | 'random-id' }
  /** What a person does, and what undoes it after a while. */
  | { readonly kind: 'edit'; readonly edit: ProjectEdit; readonly undo?: ProjectEdit; readonly ms?: number };

export interface PlannedDeed {
  readonly when: Moment;
  readonly deed: Deed;
}

export interface PlannedFile {
  readonly path: string;
  readonly content: string;
  /** Nothing that is planned speaks against it. */
  readonly healthy: boolean;
  /** Dropped behind the watcher's back: while it is dead, or the folder is not where it was. */
  readonly late?: 'watcher-dead' | 'folder-away';
}

export interface FaultPlan {
  readonly name: string;
  /** `safety`: faults never stop; `liveness`: they stop, and everything must end. */
  readonly mode: 'safety' | 'liveness';
  readonly workers: number;
  readonly batchFiles: number;
  readonly conflict: 'ask' | 'wait' | 'set-apart' | 'terminate';
  readonly consumedStatus: 404 | 422;
  readonly bulkRead: boolean;
  readonly linkWithinSeconds: number;
  readonly files: readonly PlannedFile[];
  readonly orders: readonly FaultOrder[];
  readonly deeds: readonly PlannedDeed[];
}

/** What is done to Temporal or to a worker that is believed dead, in turn so that both modes see both. */
const TROUBLES = ['lose', 'freeze'] as const;
/** Whole-request faults a case gets, beside its documents' own. */
const REQUEST_FAULTS_A_CASE = 26;
const SILENT_SUBMISSIONS = 5;

/** @param number counts the cases of one seed, from 1. */
export function planFaults(seed: number, number: number, documents: number): FaultPlan {
  const chance = new SeededChance(seed * 7_919 + number);
  const mode = number % 2 === 0 ? 'liveness' : 'safety';
  const trouble = TROUBLES[Math.floor((number - 1) / 2) % TROUBLES.length] ?? 'lose';
  const batchFiles = [25, 50, 40, 100][number % 4] ?? 50;
  const odd = oddNames(chance, number);
  const plain = plainNames(number, documents - odd.length);
  const names = chance.shuffle(plain);
  const taken = names.splice(0, 60);
  const own = ownFaults(chance).flatMap(order => {
    const isForever = /^(never-available|corrupt-bytes)$/.test(order('').action.kind);
    // Ten minutes of waiting in real time belong where nothing is waited for.
    if (isForever && mode === 'liveness') return [];
    return [order(nameOf(taken.shift() ?? 'none'))];
  });
  const struck = new Set(own.map(order => order.match?.fileName));
  const people = planPeople(chance, taken);
  const deeds = [
    ...people.deeds,
    ...planProcesses(chance, trouble, documents, (number + Math.floor(number / 4)) % 2 === 0),
    ...planHosts(chance, documents, taken),
  ];
  const touched = new Set([...people.touched, ...deeds.flatMap(({ deed }) => touchedBy(deed))]);
  return {
    name: `seed ${number}`,
    mode,
    workers: trouble === 'freeze' ? 2 : 1,
    batchFiles,
    conflict: chance.pick(['ask', 'wait', 'set-apart', 'terminate'] as const),
    consumedStatus: chance.pick([404, 422] as const),
    bulkRead: chance.isLikely(0.75),
    // Bytes that wait for longer are forgotten: at a hundredfold speed, a quarter of a minute,
    // which a busy machine can keep.
    linkWithinSeconds: chance.pick([1_500, 3_000, 86_400]),
    files: [...plain, ...odd.map(({ path }) => path)].map(
      (path, index): PlannedFile => ({
        path,
        content: `%PDF ${number} ${index} ${'x'.repeat(chance.between(1, 3_000))}`,
        healthy:
          !struck.has(nameOf(path)) &&
          !touched.has(path) &&
          !odd.some(each => each.path === path && !each.travels),
        ...(index % 10 === 9 ? { late: index % 20 === 9 ? 'watcher-dead' : 'folder-away' } : {}),
      }),
    ),
    orders: [...own, ...people.orders, ...planRequestFaults(chance, number, documents)],
    deeds,
  };
}

function plainNames(number: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const ending = index % 7 === 6 ? 'txt' : index % 11 === 10 ? 'dwg' : 'pdf';
    const folder = index % 5 === 4 ? 'Package A/' : '';
    return `${folder}s${number}-sheet-${String(index).padStart(3, '0')}.${ending}`;
  });
}

/** Every pair of route and kind is dealt to some case before any comes again. */
function planRequestFaults(chance: SeededChance, number: number, documents: number): FaultOrder[] {
  const first = (number - 1) * REQUEST_FAULTS_A_CASE;
  const dealt = Array.from({ length: REQUEST_FAULTS_A_CASE }, (_, index) => {
    const at = ((first + index) * 61) % REQUEST_FAULTS.length;
    return REQUEST_FAULTS[at];
  })
    .flatMap(fault => fault ?? [])
    .filter(isNotCrowded());
  return [
    ...Array.from({ length: SILENT_SUBMISSIONS }, () => ({
      route: 'revisions.create',
      skip: chance.between(0, 2),
      action: chance.pick(SILENT_ACTIONS),
    })),
    { route: 'oauth.token', action: chance.pick(SILENT_ACTIONS) },
    { route: 'oauth.token', skip: 1, action: chance.pick(SILENT_ACTIONS) },
    ...dealt.map(({ route, action }) => ({
      route,
      skip: chance.between(0, Math.max(0, Math.floor(documents * (ROUTES[route] ?? 0) * 0.6) - 1)),
      times: chance.between(1, (ROUTES[route] ?? 0) >= 1 ? 3 : 1),
      action,
    })),
  ];
}

/**
 * What everything waits for at the start is struck once a case: every further strike would only double the
 * pause before the next try, for all batches at once.
 */
function isNotCrowded(): (fault: { readonly route: string }) => boolean {
  const struck = new Set<string>();
  return ({ route }) => {
    if ((ROUTES[route] ?? 0) > 0.02) return true;
    if (struck.has(route)) return false;
    struck.add(route);
    return true;
  };
}

function planProcesses(
  chance: SeededChance,
  trouble: (typeof TROUBLES)[number],
  documents: number,
  isKilled: boolean,
): PlannedDeed[] {
  const midway = (route: string, from: number, to: number): Moment => ({
    route,
    count: Math.max(1, Math.floor(documents * (from + (to - from) * chance.next()))),
  });
  const own: Record<(typeof TROUBLES)[number], PlannedDeed[]> = {
    // A frozen worker is told from a dead one by what it does when it goes on, so none is killed beside it.
    freeze: [
      { when: midway('files.create', 0.15, 0.35), deed: { kind: 'freeze-worker' } },
      { when: midway('files.create', 0.5, 0.7), deed: { kind: 'freeze-worker' } },
    ],
    lose: [
      {
        when: midway('storage.put', 0.1, 0.6),
        deed: { kind: isKilled ? 'kill-worker' : 'restart-worker' },
      },
      {
        when: { route: 'revisions.create', count: chance.between(3, 5) },
        deed: { kind: 'lose-database' },
      },
    ],
  };
  return [
    ...own[trouble],
    { when: midway('storage.put', 0.05, 0.4), deed: { kind: 'kill-watcher' } },
    { when: midway('files.create', 0.1, 0.4), deed: { kind: 'expire-tokens' } },
    {
      when: midway('files.patch', 0.4, 0.8),
      deed: { kind: chance.isLikely(0.5) ? 'revoke-tokens' : 'expire-tokens' },
    },
    ...(['same', 'other-input', 'random-id'] as const).map(
      (how): PlannedDeed => ({
        when: midway('storage.put', 0.1, 0.9),
        deed: { kind: 'start-again', how },
      }),
    ),
  ];
}

/**
 * Hosts and the share are away for a while, three times; files are changed,
 * removed and dropped again underfoot.
 */
function planHosts(chance: SeededChance, documents: number, names: string[]): PlannedDeed[] {
  const outage = (host: 'api' | 'auth' | 'storage', route: string): PlannedDeed => ({
    when: { route, count: chance.between(5, Math.floor(documents * 0.7)) },
    deed: {
      kind: 'outage',
      host,
      how: chance.pick(['refuse', 'reset', 'silent'] as const),
      ms: chance.between(1_500, 5_000),
    },
  });
  const claimed = (kind: 'rewrite' | 'remove' | 'drop-again' | 'plant', count: number): PlannedDeed[] =>
    names.splice(0, count).map(path => ({ when: { claimed: path }, deed: { kind, path } }));
  return [
    outage('api', 'files.create'),
    outage('storage', 'storage.put'),
    outage(chance.pick(['api', 'auth'] as const), 'files.show'),
    {
      when: { route: 'files.create', count: chance.between(20, Math.floor(documents * 0.6)) },
      deed: {
        kind: chance.isLikely(0.5) ? 'share-away' : 'drop-replaced',
        ms: chance.between(1_000, 3_000),
      },
    },
    ...claimed('rewrite', 3),
    ...claimed('remove', 1),
    ...claimed('drop-again', 3),
    ...claimed('plant', 2),
  ];
}

/**
 * People edit, delete and submit uploads themselves, start workflows, take
 * rights and values away for a while.
 */
function planPeople(
  chance: SeededChance,
  names: string[],
): { readonly deeds: PlannedDeed[]; readonly orders: FaultOrder[]; readonly touched: string[] } {
  const touched = names.splice(0, 9);
  const [first, second, third, fourth, fifth, ...conflicts] = touched.map(path => ({
    path,
    fileName: nameOf(path),
  }));
  const upload = (
    file: { path: string; fileName: string } | undefined,
    edit: (fileName: string) => ProjectEdit,
  ): PlannedDeed[] =>
    file === undefined
      ? []
      : [{ when: { completed: file.fileName }, deed: { kind: 'edit', edit: edit(file.fileName) } }];
  const describe = (fileName: string): ProjectEdit => ({
    kind: 'edit-upload',
    fileName,
    field: 'description',
    values: ['Looked at by a colleague'],
  });
  return {
    touched,
    orders: [],
    deeds: [
      ...upload(first, fileName => ({ kind: 'delete-upload', fileName })),
      ...upload(second, fileName => ({ kind: 'submit-upload', fileName })),
      ...upload(third, describe),
      ...upload(fourth, describe),
      ...upload(fifth, fileName => ({ kind: 'submit-upload', fileName })),
      ...conflicts.map(
        ({ fileName, path }): PlannedDeed => ({
          when: { claimed: path },
          deed: {
            kind: 'edit',
            edit: { kind: 'start-workflow', name: fileName, mimeType: mimeTypeOf(fileName) },
            undo: { kind: 'end-workflow', name: fileName, mimeType: mimeTypeOf(fileName) },
            ms: chance.between(3_000, 8_000),
          },
        }),
      ),
      {
        when: { route: 'files.create', count: chance.between(10, 100) },
        deed: {
          kind: 'edit',
          edit: chance.pick([
            { kind: 'permissions', upload: false },
            { kind: 'permissions', submit: false },
            { kind: 'permissions', read: false },
          ]),
          undo: { kind: 'permissions', upload: true, submit: true, read: true },
          ms: chance.between(1_000, 3_000),
        },
      },
    ],
  };
}

function mimeTypeOf(fileName: string): string {
  if (fileName.endsWith('.txt')) return 'text/plain';
  return fileName.endsWith('.dwg') ? 'image/vnd.dwg' : 'application/pdf';
}

function touchedBy(deed: Deed): string[] {
  return 'path' in deed && deed.kind !== 'plant' ? [deed.path] : [];
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
