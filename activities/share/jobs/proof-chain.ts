// The chain of the proofs of a project, on its share: each link names what was proven and the link before it,
// so that a proof cannot be exchanged or left out later without breaking those that follow. Sealed; written
// once, by number: of two who add the same number one succeeds, and the other takes the next.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import type { ProjectRef } from '../../../workflows/contract';
import { type MarkKind, NOT_OURS, readMark, toMarkText } from '../files/own-marks';
import { ShareError } from '../files/share-error';
import type { ShareLayout } from '../files/share-layout';
import { writeOnce } from '../files/write-whole';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const linkSchema = z.strictObject({
  version: z.literal(1),
  /** From 1, without gaps. */
  number: z.number().int().positive(),
  jobId: z.string(),
  /** Of the statement of this proof, and of the one before it; null for the first. */
  statementSha256: sha256,
  before: sha256.nullable(),
});
type ProofLink = z.infer<typeof linkSchema>;

const LINK: MarkKind<ProofLink> = {
  kind: 'proof',
  label: 'A link of the chain of proofs',
  schema: linkSchema,
};

/** Where a proof stands in the chain: a part of what it states. */
export type ProofPlace = Pick<ProofLink, 'before' | 'number'>;

/**
 * Adds a proof to the chain of its project. The same statement at the same place is not added twice, so a
 * proof that is made again is the same to the byte.
 * @param state the hash of the statement at a place.
 * @throws ShareError `batch-damaged` when a link is missing or was changed: nothing can be added to that.
 */
export async function linkProof(
  layout: ShareLayout,
  project: ProjectRef,
  jobId: string,
  state: (place: ProofPlace) => string,
): Promise<ProofPlace> {
  const { fs, seals } = layout;
  const chain = chainOf(project);
  const folder = join(layout.own, 'proofs', chain);
  await fs.makeFolders(layout.own, folder);
  for (;;) {
    const links = await readChain(layout, chain);
    const known = links.findLast(link => link.jobId === jobId && state(link) === link.statementSha256);
    if (known !== undefined) return known;
    const place = { number: links.length + 1, before: links.at(-1)?.statementSha256 ?? null };
    const link: ProofLink = { version: 1, ...place, jobId, statementSha256: state(place) };
    if (await writeOnce(fs, join(folder, fileOf(place.number)), toMarkText(seals, LINK, chain, link)))
      return place;
  }
}

/** A name that every file system takes, whatever the ids are. */
function chainOf({ companyId, projectId }: ProjectRef): string {
  return hash('sha256', JSON.stringify([companyId, projectId])).slice(0, 20);
}

function fileOf(number: number): string {
  return `${String(number).padStart(8, '0')}.json`;
}

async function readChain({ fs, seals, own }: ShareLayout, chain: string): Promise<readonly ProofLink[]> {
  const folder = join(own, 'proofs', chain);
  let last = 0;
  for await (const entry of fs.entries(folder)) {
    const number = /^(\d{8})\.json$/.exec(entry.name.toString('utf8'))?.[1];
    last = Math.max(last, Number(number ?? 0));
  }
  const links: ProofLink[] = [];
  for (let number = 1; number <= last; number += 1) {
    const path = join(folder, fileOf(number));
    const link = await readMark(fs, seals, LINK, path, chain, () => undefined);
    const isNext = link !== undefined && link !== NOT_OURS && link.number === number;
    if (!isNext || link.before !== (links.at(-1)?.statementSha256 ?? null)) {
      const text = `Proof ${number} in the chain of proofs on this share is missing or was changed.`;
      throw new ShareError('batch-damaged', text);
    }
    links.push(link);
  }
  return links;
}
