// `drawbridge proof` and `drawbridge verify`: what became of a job, in one file that others verify years
// later without the service, the share or Temporal.
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { codeOf } from '../../activities/host/error-code';
import type { JobPapers } from '../../activities/share/receipt/job-papers';
import type { Share } from '../../activities/share/share';
import type { Config } from '../../workers/config/config';
import { chooseShare } from '../session/choose-project';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { type AddCommand, print } from '../session/command';
import { loadCommandConfig } from '../session/command-config';
import { withLocalShares } from '../session/seen-shares';
import { sharesOf } from '../session/stand-in';
import { toVisible } from '../session/terminal-text';
import { writeOutput } from '../session/write-output';
import { type MadeProof, makeProof } from './make-proof';
import { type ProofReport, verifyProof } from './verify-proof';

/** A job of 5,000 files takes a few megabytes. */
const MOST_BYTES = 1024 ** 3;

export const addProofCommand: AddCommand = (declared, globals) => {
  declared
    .option('--share <name>', 'the share that it was dropped on')
    .requiredOption('-o, --output <file>', 'where to write it, for example proof.zip')
    .action(async (job: string, options: { share?: string; output: string }) => {
      const config = loadCommandConfig(globals(), 'leave');
      const { fingerprint, number, withoutId } = await prove(config, job, options);
      print(
        `${options.output} proves the job "${toVisible(job)}": proof ${number} of its project on this share.`,
      );
      if (withoutId > 0) print(`${withoutId} of its documents have no revision id: that answer was lost.`);
      print(`Signed by the key ${fingerprint}. Give this fingerprint to whoever is to verify it.`);
    });
};

export const addVerifyCommand: AddCommand = declared => {
  declared
    .option('--key <fingerprint>', 'of the key that you trust')
    .option('--before <file>', 'the proof before it, to verify that it follows that one')
    .option('--json', 'as JSON')
    .action(async (file: string, options: { key?: string; before?: string; json?: true }) => {
      const before = options.before === undefined ? undefined : await readProof(options.before);
      const report = verifyProof(await readProof(file), { key: options.key, before });
      print(options.json === true ? JSON.stringify(report, undefined, 2) : describeProof(file, report));
      if (!report.isWhole) process.exitCode = EXIT_CODES.failed;
    });
};

async function prove(
  config: Config,
  job: string,
  options: { readonly share?: string; readonly output: string },
): Promise<MadeProof> {
  const share = chooseShare(sharesOf(config), options.share);
  return await withLocalShares(config, [share], async ({ seen: [seen], unseen: [unseen] }) => {
    if (seen === undefined) throw new CliError(`Share ${share.name} cannot be read: ${unseen?.why}.`);
    const papers = await readPapers(seen, job);
    const proof = await makeProof(seen, papers, config.stateDir);
    await writeProof(resolve(options.output), proof.bytes);
    return proof;
  });
}

async function readPapers(share: Share, job: string): Promise<JobPapers> {
  const papers = await share.readPapers(job);
  if (papers === undefined) throw new CliError(`Share ${share.name} has no job "${toVisible(job)}".`);
  if (papers === 'unfinished')
    throw new CliError(`The job "${toVisible(job)}" has no receipt yet: it is proven once it is finished.`);
  return papers;
}

/** The same proof, made again, is the same to the byte. */
async function writeProof(path: string, bytes: Buffer): Promise<void> {
  const there = await readFile(path).catch(() => undefined);
  if (there?.equals(bytes) !== true) await writeOutput(path, bytes);
}

async function readProof(path: string): Promise<Buffer> {
  try {
    if ((await stat(path)).size <= MOST_BYTES) return await readFile(path);
  } catch (error) {
    throw new CliError(`${path} cannot be read (${codeOf(error)}).`, EXIT_CODES.failed, error);
  }
  throw new CliError(`${path} is far too large for a proof.`);
}

function describeProof(file: string, report: ProofReport): string {
  const { statement, faults, keySha256, isKeyPinned, isWhole } = report;
  if (!isWhole || statement === undefined)
    return [`${file} is NOT as it was made:`, ...faults.map(fault => `  ${toVisible(fault)}`)].join('\n');
  const { job, share, project, documents, chain, tool } = statement;
  const lines = [
    `${file} is as it was made, by ${tool}.`,
    `  job        "${job.name}" on share ${share}, project ${project.projectId}, begun ${job.createdAt}`,
    `  documents  ${documents.submitted} submitted, ${documents.skipped} skipped, ${documents.setApart} set apart`,
    ...documents.withoutRevisionId.map(path => `  no revision id is known of ${path}: that answer was lost`),
    `  chain      proof ${chain.number} of its project; before it: ${chain.before ?? 'none'}`,
    `  key        ${keySha256}${isKeyPinned ? ', the one that you trust' : ''}`,
  ];
  const unpinned = 'Compare the key with the one that you were given by another way, or give it as --key.';
  return [...lines.map(line => toVisible(line)), ...(isKeyPinned ? [] : [unpinned])].join('\n');
}
