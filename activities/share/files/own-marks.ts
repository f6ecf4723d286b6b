// Small files of ours that other processes go by: which Temporal has a batch, which one watches the share,
// that nobody runs a batch any more. They are sealed like all that is ours: a mark that is not sealed, or is
// torn, is believed by nobody, and is replaced by whoever writes the next one.
import { z } from 'zod';
import { hasCode } from '../../host/error-code';
import { readOwnJson } from './own-json';
import type { SealedKind, Seals } from './seals';
import type { ShareErrorCode } from './share-error';
import type { ShareFs } from './share-fs';

export interface MarkKind<T> {
  readonly kind: SealedKind;
  /** For messages. */
  readonly label: string;
  readonly schema: z.ZodType<T>;
}

/** What lies there is not sealed with our key, or not whole. */
export const NOT_OURS = Symbol('not ours');

/** Called at each look at such a file, with why it is not ours. */
export type OnNotOurs = (path: string, why: string) => void;

const sealSchema = z.looseObject({ seal: z.string(), sealedBy: z.string() });

/** @param of what the mark is about, such as a batch's id: so one of another batch does not pass for it. */
export function toMarkText<T extends object>(seals: Seals, mark: MarkKind<T>, of: string, value: T): string {
  const content = mark.schema.parse(value);
  const seal = seals.of(mark.kind, toSealed(of, content));
  return `${JSON.stringify({ ...content, seal, sealedBy: seals.keyId })}\n`;
}

/** Undefined when there is none. @throws ShareError `unreadable-now`, or of the whole share. */
export async function readMark<T extends object>(
  fs: ShareFs,
  seals: Seals,
  mark: MarkKind<T>,
  path: string,
  of: string,
  onNotOurs: OnNotOurs,
): Promise<T | typeof NOT_OURS | undefined> {
  const { kind, label, schema } = mark;
  try {
    const read = await readOwnJson(fs, path, label, sealSchema);
    if (read === undefined) return undefined;
    const { seal, sealedBy, ...content } = read.value;
    const parsed = schema.safeParse(content);
    const text = parsed.success ? toSealed(of, parsed.data) : '';
    seals.check(kind, label, { text, seal, sealedBy });
    if (parsed.success) return parsed.data;
    onNotOurs(path, `${label} is not one of this version of Drawbridge.`);
  } catch (error) {
    if (!hasCode<ShareErrorCode>(error, 'batch-damaged', 'key-differs')) throw error;
    onNotOurs(path, error instanceof Error ? error.message : String(error));
  }
  return NOT_OURS;
}

/** `content` has its keys in the schema's order, however the file has them. */
function toSealed(of: string, content: object): string {
  return `${of}\n${JSON.stringify(content)}`;
}
