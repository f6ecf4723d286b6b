// What a run hands to the one that goes on in its place when its history has grown long: of each open
// document, what the share does not know. Small, for it travels as one payload: what repeats is named once.
import type { Reason } from '../contract';
import { Table } from '../run/decide/table';
import type { KeptAnswer } from './answer-contract';
import type { EndedAnalysis } from './decide/keep-analysis';
import type { KeptWait } from './decide/keep-waits';
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
  isProbed: 'anew',
  isNaming: 'anew',
  absent: 'anew',
  stored: 'anew',
  inLine: 'anew',
  matches: 'anew',
  required: 'anew',
  values: 'carried',
  answers: 'carried',
  uploadId: 'carried',
  fileUploadId: 'carried',
  openedAtMs: 'carried',
  late: 'carried',
  completed: 'carried',
  analysed: 'carried',
  analysis: 'carried',
  given: 'carried',
  waits: 'carried',
  retried: 'carried',
  intended: 'carried',
  mayBeSubmitted: 'carried',
  eventId: 'carried',
  verified: 'carried',
  exposed: 'carried',
  relink: 'carried',
  named: 'carried',
  termination: 'carried',
  reviews: 'carried',
  agreed: 'carried',
  linksAsked: 'carried',
  tries: 'carried',
  notes: 'carried',
  heldSinceMs: 'carried',
  heldFor: 'carried',
  held: 'carried',
  answered: 'carried',
  overtaken: 'carried',
  meant: 'carried',
} as const satisfies Record<keyof DocumentFacts, 'carried' | 'share' | 'anew'>;

type CarriedField = {
  [Field in keyof DocumentFacts]: (typeof ORIGINS)[Field] extends 'carried' ? Field : never;
}[keyof DocumentFacts];

/** Fields that are put in a shorter form, and those that go as they are. */
type Shortened = 'values' | 'tries' | 'notes' | 'held' | 'given' | 'waits' | 'analysis';
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
  /** Positions in `answers`. */
  readonly given?: readonly number[];
  /** Positions in the table `waits`. */
  readonly waits?: readonly number[];
  /** Its texts as positions in `texts`; of what was found, label and value by turns. */
  readonly analysis?: readonly [
    waitedMs: number,
    found: readonly number[],
    lacked: readonly number[],
    end?: EndedAnalysis['end'],
  ];
}

export interface CarryOver {
  readonly texts: readonly string[];
  readonly reasons: readonly Reason[];
  /** Absent for none. */
  readonly answers?: readonly KeptAnswer[];
  readonly waits?: readonly KeptWait[];
  readonly documents: readonly CarriedDocument[];
}

export function packDocuments(states: readonly DocumentFacts[]): CarryOver {
  const texts = new Table<string>();
  const reasons = new Table<Reason>();
  const answers = new Table<KeptAnswer>();
  const waits = new Table<KeptWait>();
  const documents = states
    .filter(({ outcome }) => outcome === undefined)
    .map(state => packDocument(asLeft(state), { texts, reasons, answers, waits }));
  return {
    texts: texts.entries,
    reasons: reasons.entries,
    ...(answers.entries.length === 0 ? {} : { answers: answers.entries }),
    ...(waits.entries.length === 0 ? {} : { waits: waits.entries }),
    documents,
  };
}

/**
 * What a call does that has not ended, as one that stands still for a person, nobody tells the next run: it
 * may have sent what it was to send, and what it was to write may not be there.
 */
function asLeft(state: DocumentFacts): DocumentFacts {
  const { isNaming, isProbed, retried, held, unheard, tries } = state;
  return {
    ...state,
    ...(isNaming ? { named: undefined } : {}),
    ...(isProbed ? { mayBeSubmitted: true } : {}),
    // The next run does not know what they say of the outage that it waits for, and begins to count anew.
    ...(unheard === 'failed' ? { tries: { ...tries, submit: 0 } } : {}),
    ...(retried === 'now' ? { retried: 'untold' } : {}),
    // Said by the question that it is held for, which travels.
    ...(held === undefined ? {} : { heldFor: undefined }),
  };
}

/** Puts what was handed over in place of what the share tells. */
export function unpackDocuments(states: readonly DocumentState[], carried: CarryOver): void {
  for (const document of carried.documents) {
    const { index, plain, values, tries, notes, held, given, waits, analysis } = document;
    const state = states[index];
    if (state === undefined || state.outcome !== undefined) continue;
    state.restore({
      ...unpackPlain(plain),
      ...(values === undefined ? {} : { values }),
      tries: { ...state.tries, ...tries },
      notes: [...state.notes, ...notes.flatMap(position => carried.texts[position] ?? [])],
      ...(held === undefined
        ? {}
        : { held: unpackHeld(state, held, carried.reasons), heldFor: held.question }),
      ...(given === undefined ? {} : { given: given.map(position => at(carried.answers ?? [], position)) }),
      ...(waits === undefined ? {} : { waits: waits.map(position => at(carried.waits ?? [], position)) }),
      ...(analysis === undefined ? {} : { analysis: unpackAnalysis(analysis, carried.texts) }),
    });
  }
}

const SHORTENED: ReadonlySet<string> = new Set<Shortened>([
  'values',
  'tries',
  'notes',
  'held',
  'given',
  'waits',
  'analysis',
]);
const PLAIN = (Object.keys(ORIGINS) as (keyof DocumentFacts)[]).filter(
  (field): field is Plain => ORIGINS[field] === 'carried' && !SHORTENED.has(field),
);

interface Tables {
  readonly texts: Table<string>;
  readonly reasons: Table<Reason>;
  readonly answers: Table<KeptAnswer>;
  readonly waits: Table<KeptWait>;
}

function packDocument(state: DocumentFacts, tables: Tables): CarriedDocument {
  const { document, values, tries, notes, held, given, waits, analysis } = state;
  const { texts, reasons, answers } = tables;
  return {
    index: document.index,
    plain: Object.fromEntries(PLAIN.map(field => [field, state[field]])),
    ...(values === document.values ? {} : { values }),
    tries: Object.fromEntries(Object.entries(tries).filter(([, count]) => count > 0)),
    notes: notes.map(note => texts.place(note)),
    ...(held === undefined ? {} : { held: packHeld(held, reasons) }),
    ...(given === undefined ? {} : { given: given.map(answer => answers.place(answer)) }),
    ...(waits === undefined ? {} : { waits: waits.map(wait => tables.waits.place(wait)) }),
    ...(analysis === undefined ? {} : { analysis: packAnalysis(analysis, texts) }),
  };
}

function packAnalysis(
  { waitedMs, found, lacked = [], end }: EndedAnalysis,
  texts: Table<string>,
): NonNullable<CarriedDocument['analysis']> {
  const place = (text: string) => texts.place(text);
  const pairs = found.flatMap(({ label, value }) => [label, value]);
  const packed = [waitedMs, pairs.map(place), lacked.map(place)] as const;
  return end === undefined ? packed : [...packed, end];
}

function unpackAnalysis(
  [waitedMs, pairs, lacked, end]: NonNullable<CarriedDocument['analysis']>,
  texts: readonly string[],
): EndedAnalysis {
  const found = pairs.flatMap((label, from) =>
    from % 2 === 0 ? [{ label: at(texts, label), value: at(texts, pairs[from + 1] ?? -1) }] : [],
  );
  return {
    waitedMs,
    ...(end === undefined ? {} : { end }),
    found,
    ...(lacked.length === 0 ? {} : { lacked: lacked.map(label => at(texts, label)) }),
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
  return { ...held, index: document.index, path: document.path, reason: at(reasons, held.reason) };
}

function at<Entry>(entries: readonly Entry[], position: number): Entry {
  const entry = entries[position];
  if (entry === undefined) throw new RangeError('What was handed over names something that is not there');
  return entry;
}
