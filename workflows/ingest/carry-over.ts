// What a run hands to the one that goes on in its place when its history has grown long: of each open
// document, what the share does not know. Small, for it travels as one payload: what repeats is named once.
import type { Reason } from '../contract';
import type { DocumentFacts, Held } from './document-facts';
import type { DocumentState } from './document-state';

/**
 * Where the next run has each field of a document from: handed over, from the manifest and the journal, or
 * found out anew. A new field does not compile before this is decided.
 */
const ORIGINS = {
  document: 'share',
  outcome: 'share',
  stage: 'anew',
  plan: 'anew',
  unheard: 'anew',
  absent: 'anew',
  stored: 'anew',
  inLine: 'anew',
  matches: 'anew',
  values: 'carried',
  answers: 'carried',
  uploadId: 'carried',
  fileUploadId: 'carried',
  openedAtMs: 'carried',
  late: 'carried',
  completed: 'carried',
  analysed: 'carried',
  intended: 'carried',
  mayBeSubmitted: 'carried',
  eventId: 'carried',
  verified: 'carried',
  exposed: 'carried',
  relink: 'carried',
  named: 'carried',
  termination: 'carried',
  linksAsked: 'carried',
  tries: 'carried',
  notes: 'carried',
  heldSinceMs: 'carried',
  held: 'carried',
  overtaken: 'carried',
  meant: 'carried',
} as const satisfies Record<keyof DocumentFacts, 'carried' | 'share' | 'anew'>;

type CarriedField = {
  [Field in keyof DocumentFacts]: (typeof ORIGINS)[Field] extends 'carried' ? Field : never;
}[keyof DocumentFacts];

/** Fields that are put in a shorter form, and those that go as they are. */
type Shortened = 'values' | 'tries' | 'notes' | 'held';
type Plain = Exclude<CarriedField, Shortened>;

interface CarriedDocument {
  readonly index: number;
  readonly plain: Partial<Pick<DocumentFacts, Plain>>;
  /** Absent where they are the document's own. */
  readonly values?: DocumentFacts['values'];
  /** Without those that are 0. */
  readonly tries: Partial<DocumentFacts['tries']>;
  /** Positions in `texts`. */
  readonly notes: readonly number[];
  /** `reason`: position in `reasons`. */
  readonly held?: Omit<Held, 'index' | 'path' | 'reason'> & {
    readonly reason: number;
  };
}

export interface CarryOver {
  readonly texts: readonly string[];
  readonly reasons: readonly Reason[];
  readonly documents: readonly CarriedDocument[];
}

export function packDocuments(states: readonly DocumentFacts[]): CarryOver {
  const texts = new Table<string>();
  const reasons = new Table<Reason>();
  const documents = states
    .filter(({ outcome }) => outcome === undefined)
    .map(state => packDocument(state, texts, reasons));
  return { texts: texts.entries, reasons: reasons.entries, documents };
}

/** Puts what was handed over in place of what the share tells. */
export function unpackDocuments(states: readonly DocumentState[], carried: CarryOver): void {
  for (const { index, plain, values, tries, notes, held } of carried.documents) {
    const state = states[index];
    if (state === undefined || state.outcome !== undefined) continue;
    state.restore({
      ...unpackPlain(plain),
      ...(values === undefined ? {} : { values }),
      tries: { ...state.tries, ...tries },
      notes: [...state.notes, ...notes.flatMap(position => carried.texts[position] ?? [])],
      ...(held === undefined ? {} : { held: unpackHeld(state, held, carried.reasons) }),
    });
  }
}

const SHORTENED: ReadonlySet<string> = new Set<Shortened>(['values', 'tries', 'notes', 'held']);
const PLAIN = (Object.keys(ORIGINS) as (keyof DocumentFacts)[]).filter(
  (field): field is Plain => ORIGINS[field] === 'carried' && !SHORTENED.has(field),
);

function packDocument(state: DocumentFacts, texts: Table<string>, reasons: Table<Reason>): CarriedDocument {
  const { document, values, tries, notes, held } = state;
  return {
    index: document.index,
    plain: Object.fromEntries(PLAIN.map(field => [field, state[field]])),
    ...(values === document.values ? {} : { values }),
    tries: Object.fromEntries(Object.entries(tries).filter(([, count]) => count > 0)),
    notes: notes.map(note => texts.place(note)),
    ...(held === undefined ? {} : { held: packHeld(held, reasons) }),
  };
}

/** What was undefined did not travel, and is undefined again, whatever the share says. */
function unpackPlain(plain: CarriedDocument['plain']): CarriedDocument['plain'] {
  return Object.fromEntries(PLAIN.map(field => [field, plain[field]]));
}

function packHeld(held: Held, reasons: Table<Reason>): NonNullable<CarriedDocument['held']> {
  const { index: _index, path: _path, reason, ...rest } = held;
  return { ...rest, reason: reasons.place(reason) };
}

function unpackHeld(
  { document }: DocumentFacts,
  held: NonNullable<CarriedDocument['held']>,
  reasons: readonly Reason[],
): Held {
  const reason = reasons[held.reason];
  if (reason === undefined) throw new RangeError('What was handed over names a reason that is not there');
  return { ...held, index: document.index, path: document.path, reason };
}

/** Each different entry once. */
class Table<Entry> {
  readonly entries: Entry[] = [];
  readonly #places = new Map<string, number>();

  place(entry: Entry): number {
    const key = JSON.stringify(entry);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.entries.length);
    return this.entries.push(entry) - 1;
  }
}
