// `drawbridge explain`: what became of a document, by the file itself, its SHA-256, its name, its Number, its
// upload or its revision. From the ledgers and receipts of the shares that this host sees; no service, no
// Temporal.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { nowAndThen } from '../../activities/host/now-and-then';
import type { LedgerIndex } from '../../activities/ledger/ledger-index';
import type { Share } from '../../activities/share/share';
import type { Config } from '../../workers/config/config';
import { createLedgerIndex } from '../../workers/share-adapters';
import { chooseShare } from '../session/choose-project';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { type AddCommand, print } from '../session/command';
import { loadCommandConfig } from '../session/command-config';
import { type SeenShares, SILENT, withLocalShares } from '../session/seen-shares';
import { sharesOf } from '../session/stand-in';
import { describeDocuments, type ExplainedDocument, type ExplainReport } from './describe-documents';
import { findDocuments } from './find-documents';
import { KeptReader } from './kept-values';

/** How often a long reading tells how far it is. */
const SAY_EVERY_MS = 2_000;

export const addExplainCommand: AddCommand = (declared, globals) => {
  declared
    .option('--share <name>', 'only of this share')
    .option('--json', 'as JSON')
    .action(async (wanted: string, options: { share?: string; json?: true }) => {
      const config = loadCommandConfig(globals(), 'leave');
      const report = await explain(config, wanted, options.share);
      if (options.json === true) print(JSON.stringify(report, undefined, 2));
      else print(describeDocuments(wanted, report));
      if (report.documents.length === 0) process.exitCode = EXIT_CODES.failed;
    });
};

async function explain(
  config: Config,
  wanted: string,
  shareName: string | undefined,
): Promise<ExplainReport> {
  const all = sharesOf(config);
  const configs = shareName === undefined ? all : [chooseShare(all, shareName)];
  return await withLocalShares(config, configs, async shares => await explainBy(config, shares, wanted));
}

async function explainBy(
  config: Config,
  { seen, unseen }: SeenShares,
  wanted: string,
): Promise<ExplainReport> {
  const opened: LedgerIndex[] = [];
  try {
    const why = unseen.map(({ name, why }) => `Share ${name} is not looked at: ${why}.`);
    if (seen.length === 0) throw new CliError(why.join('\n') || 'No share is configured.', EXIT_CODES.failed);
    const sha256 = await hashIfFile(wanted);
    const found: ExplainedDocument[] = [];
    for (const share of seen) {
      const index = createLedgerIndex(config, SILENT, share.name);
      opened.push(index);
      await readLedger(index, share);
      const kept = new KeptReader(share);
      for (const document of await findDocuments(index, share, wanted, sha256))
        found.push({ ...document, kept: await kept.read(document) });
    }
    const documents = found.sort((one, other) => other.submittedAtMs - one.submittedAtMs);
    return { documents, unseen: why };
  } finally {
    for (const index of opened) await index.close();
  }
}

/** Progress goes to stderr: the first reading of a large ledger takes minutes. */
async function readLedger(index: LedgerIndex, share: Share): Promise<void> {
  await index.follow(share.ledger, {
    onProgress: nowAndThen(SAY_EVERY_MS, ({ monthsDone, months, documents }) => {
      process.stderr.write(
        `Reading the ledger of ${share.name}: month ${monthsDone + 1} of ${months}, ${documents} documents\n`,
      );
    }),
  });
}

async function hashIfFile(wanted: string): Promise<string | undefined> {
  if (/^[0-9a-f]{64}$/i.test(wanted)) return wanted.toLowerCase();
  const path = resolve(wanted);
  const facts = await stat(path).catch(() => undefined);
  if (facts?.isFile() !== true) return undefined;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
