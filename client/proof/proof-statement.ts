// What a proof states, and the files that it comes with. Pure: the same job, settings, version and key make
// the same files. Nothing is stated that was not seen; what is not known is listed by name.
import { hash } from 'node:crypto';
import { z } from 'zod';
import type { ProofPlace } from '../../activities/share/jobs/proof-chain';
import type { JobPapers } from '../../activities/share/receipt/job-papers';
import type { ProofFiles } from './proof-archive';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const statementSchema = z.strictObject({
  kind: z.literal('drawbridge proof'),
  version: z.literal(1),
  tool: z.string(),
  /** SHA-256 of the settings of the share, without secrets, when the proof was made. */
  settingsSha256: sha256,
  /** SHA-256 of the public key in its DER form. */
  keySha256: sha256,
  job: z.strictObject({ id: z.string(), name: z.string(), createdAt: z.string() }),
  share: z.string(),
  project: z.strictObject({ companyId: z.string(), projectId: z.string() }),
  documents: z.strictObject({
    submitted: z.number().int(),
    skipped: z.number().int(),
    setApart: z.number().int(),
    /** Submitted for certain, but the answer that named the revision was lost. */
    withoutRevisionId: z.array(z.string()),
  }),
  chain: z.strictObject({ number: z.number().int(), before: sha256.nullable() }),
  /** All other files of the proof, but for the signature. */
  files: z.record(z.string(), sha256),
});
export type ProofStatement = z.infer<typeof statementSchema>;

/** The two files that are not listed in the statement: it itself, and its signature. */
export const STATEMENT = 'proof.json';
export const SIGNATURE = 'proof.sig';
export const PUBLIC_KEY = 'key.pem';
const SUMS = 'SHA256SUMS';
const SUMS_OF_OTHERS = 'SHA256SUMS-set-apart';

export interface ProofInput {
  readonly papers: JobPapers;
  readonly tool: string;
  /** As text that is the same for the same settings; no secret is in it. */
  readonly settings: string;
  /** PEM. */
  readonly publicKey: string;
  readonly keySha256: string;
}

/** All but the statement and its signature. */
export function toProofFiles({ papers, publicKey }: ProofInput): ProofFiles {
  const { receipt, batches, files } = papers;
  const others = toSums(files.filter(({ isDone }) => !isDone));
  return new Map(
    Object.entries({
      'README.txt': README,
      [PUBLIC_KEY]: publicKey,
      'receipt.csv': receipt.csv,
      'receipt.json': receipt.json,
      [SUMS]: toSums(files.filter(({ isDone }) => isDone)),
      ...(others === '' ? {} : { [SUMS_OF_OTHERS]: others }),
      ...Object.fromEntries(
        batches.flatMap(batch => [
          [`batches/${batch.batchId}/manifest.json`, batch.manifest],
          [`batches/${batch.batchId}/receipt.json`, batch.receipt],
        ]),
      ),
    }).map(([name, content]) => [name, Buffer.from(content)]),
  );
}

export function toStatement(input: ProofInput, files: ProofFiles, chain: ProofPlace): string {
  const { papers, tool, settings, keySha256 } = input;
  const { record, project } = papers;
  const count = (outcome: string) => papers.files.filter(({ row }) => row.outcome === outcome).length;
  const unnamed = papers.files.filter(({ row }) => row.outcome === 'submitted' && row.revisionId == null);
  const statement: ProofStatement = {
    kind: 'drawbridge proof',
    version: 1,
    tool,
    settingsSha256: hashOf(settings),
    keySha256,
    job: { id: record.jobId, name: record.place, createdAt: record.createdAt },
    share: record.share,
    project: { companyId: project.companyId, projectId: project.projectId },
    documents: {
      submitted: count('submitted'),
      skipped: count('skipped'),
      setApart: count('set-apart'),
      withoutRevisionId: unnamed.map(({ path }) => path),
    },
    chain: { number: chain.number, before: chain.before },
    files: Object.fromEntries([...files].map(([name, content]) => [name, hashOf(content)])),
  };
  return `${JSON.stringify(statement, undefined, 1)}\n`;
}

/** Undefined when it is none that this version knows. */
export function parseStatement(bytes: Uint8Array | undefined): ProofStatement | undefined {
  try {
    return statementSchema.parse(JSON.parse(Buffer.from(bytes ?? []).toString('utf8')));
  } catch {
    return undefined;
  }
}

export function hashOf(content: string | Uint8Array): string {
  return hash('sha256', content);
}

/** As `sha256sum` writes and reads it; a name with a line break or a backslash is marked as it does. */
function toSums(files: JobPapers['files']): string {
  return files
    .flatMap(({ row, path }) => {
      if (row.sha256 === undefined) return [];
      const name = path.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/\r/g, '\\r');
      return [`${name === path ? '' : '\\'}${row.sha256}  ${name}\n`];
    })
    .join('');
}

const README = `This archive proves what became of one job: which files were dropped, which revision each of them became, and
what was set apart. It is verified without any service and without the share:

    drawbridge verify THIS-FILE.zip --key FINGERPRINT

To verify the documents themselves, lay ${SUMS} beside them, in the job's folder, and run: sha256sum -c ${SUMS}

receipt.csv, receipt.json   the receipt of the job
batches/                    what each part of the job was sealed with when it was dropped, and its own receipt
proof.json                  the hash of each file here, and of the proof before this one
proof.sig                   the Ed25519 signature of proof.json (base64), by the key in key.pem

Whoever made the archive could also have put another key into it: compare the key's fingerprint with the one that
you were given by another way. A file without a revision id was submitted for certain, but the answer that named its
revision was lost.
`;
