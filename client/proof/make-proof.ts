// A proof of a finished job: its files, the statement about them with its place in the chain, and the
// signature.
import type { JobPapers } from '../../activities/share/receipt/job-papers';
import type { Share } from '../../activities/share/share';
import { ownVersion } from '../session/own-version';
import { packProof } from './proof-archive';
import { readProofKey } from './proof-key';
import { hashOf, type ProofInput, SIGNATURE, STATEMENT, toProofFiles, toStatement } from './proof-statement';

export interface MadeProof {
  readonly bytes: Buffer;
  /** Of the key that has signed it. */
  readonly fingerprint: string;
  /** In the chain of its project. */
  readonly number: number;
  /** Documents that were submitted for certain, but the answer that named the revision was lost. */
  readonly withoutId: number;
}

/**
 * Made again by the same version, with the same settings, it is the same to the byte and takes no further
 * place.
 */
export async function makeProof(
  share: Pick<Share, 'config' | 'linkProof'>,
  papers: JobPapers,
  stateDir: string,
): Promise<MadeProof> {
  const key = await readProofKey(stateDir);
  const input: ProofInput = {
    papers,
    tool: `drawbridge ${ownVersion()}`,
    settings: JSON.stringify(share.config),
    publicKey: key.publicKey,
    keySha256: key.fingerprint,
  };
  const files = toProofFiles(input);
  const place = await share.linkProof(papers, at => hashOf(toStatement(input, files, at)));
  const statement = toStatement(input, files, place);
  const signed = new Map(files)
    .set(STATEMENT, Buffer.from(statement))
    .set(SIGNATURE, Buffer.from(`${key.sign(statement).toString('base64')}\n`));
  const withoutId = papers.files.filter(({ row }) => row.outcome === 'submitted' && row.revisionId == null);
  return {
    bytes: packProof(signed),
    fingerprint: key.fingerprint,
    number: place.number,
    withoutId: withoutId.length,
  };
}
