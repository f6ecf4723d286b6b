// Whose file does an upload belong to? Responses of Step 4 pair with the files by position only. So what
// the service itself keeps of that step is compared with the files of the batch; what we wrote
// ourselves would prove nothing.
import { type NamedFile, stemOf } from '../../share/drop/name-of-file';

/** What an upload shows of Step 4. */
export interface PairingEvidence {
  /** Texts of the service's own beside the field `name`, wherever it shows them. */
  readonly texts: readonly string[];
  readonly names: readonly string[];
  /** MANUAL: we or people wrote the name. null: not told. */
  readonly nameSource?: string | null | undefined;
  /** Second part of `match_criteria`. */
  readonly mediaType?: string | null | undefined;
}

/** `others`: positions of the files whose upload it may be. */
export type Pairing =
  | { readonly kind: 'own' }
  | { readonly kind: 'not-shown' }
  | { readonly kind: 'other'; readonly others: readonly number[] };

export interface PairingQuestion {
  readonly evidence: PairingEvidence;
  /** All files of the batch, and which of them we take it for. */
  readonly files: readonly NamedFile[];
  readonly at: number;
  /** What we call the document. */
  readonly wish: string;
  readonly isComputed: boolean;
}

type Verdict =
  /** The stem of a name may be that of several files; the media type then has the last word. */
  | { readonly kind: 'own'; readonly by: 'name' | 'stem' }
  | { readonly kind: 'other'; readonly others: readonly number[] };

/** `NAME|type/subtype`: the type is that of Step 4. */
export function mediaTypeOf(matchCriteria: string | null): string | null {
  const type = matchCriteria?.slice(matchCriteria.lastIndexOf('|') + 1).trim() ?? '';
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : null;
}

export function judgePairing(question: PairingQuestion): Pairing {
  const { evidence, files, at } = question;
  const own = files[at];
  if (own === undefined || files.length < 2) return { kind: 'own' };
  const verdict = findByName(evidence.texts, files, at, ({ fileName }) => fileName) ?? judgeName(question);
  if (verdict?.kind === 'other') {
    const fitting = verdict.others.filter(other => isType(files[other], evidence.mediaType));
    return { kind: 'other', others: fitting.length > 0 ? fitting : verdict.others };
  }
  if (verdict?.by === 'name') return { kind: 'own' };
  const rivals = (file: NamedFile) => verdict === undefined || stemOf(file) === stemOf(own);
  // A media type other than ours says something only where another file has it: the service may have its own
  // words for types.
  const others = isType(own, evidence.mediaType)
    ? []
    : positions(files, file => isType(file, evidence.mediaType) && rivals(file));
  if (others.length > 0) return { kind: 'other', others };
  return { kind: verdict === undefined ? 'not-shown' : 'own' };
}

function judgeName(question: PairingQuestion): Verdict | undefined {
  const { evidence, files, at, wish, isComputed } = question;
  const [name] = evidence.names;
  if (name === undefined || name.trim() === '') return undefined;
  const { nameSource } = evidence;
  const isWish = compose(name) === compose(wish);
  if (nameSource === 'MANUAL' && isWish) return { kind: 'own', by: 'stem' };
  const whole = findByName([name], files, at, ({ fileName }) => fileName);
  if (whole !== undefined) return whole;
  if (nameSource === 'MANUAL') return undefined;
  // Where it is not told who wrote the name, it may have been us, in an earlier run.
  if ((nameSource === null || nameSource === undefined) && isWish) return { kind: 'own', by: 'stem' };
  const stem = findByName([name], files, at, stemOf);
  if (stem?.kind === 'own') return { kind: 'own', by: 'stem' };
  if (!isComputed) return stem;
  const computed = judgeComputed(question, compose(name));
  // A file that is called just so goes before those that are called so in part.
  return computed?.kind === 'other' ? (stem ?? computed) : computed;
}

/**
 * A naming standard makes the name of parts of the file's: it is read from the file in whose name it is
 * found. Where it is found in our file's and in another one's, nobody can tell, unless their types do.
 */
function judgeComputed({ evidence, files, at }: PairingQuestion, name: string): Verdict | undefined {
  const holding = positions(files, file => holdsWhole(stemOf(file), name));
  const typed = holding.filter(each => isType(files[each], evidence.mediaType));
  const fitting = typed.length > 0 ? typed : holding;
  if (fitting.length === 0) return undefined;
  if (!fitting.includes(at)) return { kind: 'other', others: fitting };
  return fitting.length === 1 ? { kind: 'own', by: 'stem' } : undefined;
}

/** In whole words and numbers: "A-1" is no part of "A-10". */
function holdsWhole(text: string, part: string): boolean {
  const [whole, wanted] = [text.toLowerCase(), part.toLowerCase()];
  for (let from = whole.indexOf(wanted); from >= 0; from = whole.indexOf(wanted, from + 1)) {
    const isBegun = /[\p{L}\p{M}\p{N}]$/u.test(whole.slice(0, from));
    const goesOn = /^[\p{L}\p{M}\p{N}]/u.test(whole.slice(from + wanted.length));
    if (!isBegun && !goesOn) return true;
  }
  return false;
}

function findByName(
  texts: readonly string[],
  files: readonly NamedFile[],
  at: number,
  nameOf: (file: NamedFile) => string,
): Verdict | undefined {
  const names = new Set(texts.map(compose));
  const fits = (file: NamedFile) => names.has(compose(nameOf(file)));
  const own = files[at];
  if (own !== undefined && fits(own)) return { kind: 'own', by: 'name' };
  const others = positions(files, fits);
  return others.length === 0 ? undefined : { kind: 'other', others };
}

function isType(file: NamedFile | undefined, mediaType: string | null | undefined): boolean {
  return file?.mimeType.toLowerCase() === mediaType?.trim().toLowerCase();
}

function positions(files: readonly NamedFile[], fits: (file: NamedFile) => boolean): number[] {
  return files.flatMap((file, at) => (fits(file) ? [at] : []));
}

/** Macs write accents decomposed; the service may compose them. */
function compose(name: string): string {
  return name.normalize('NFC');
}
