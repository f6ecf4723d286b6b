// `answer --from`: a sheet answers for the documents of a batch or a job, each row for one of them.
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { codeOf } from '../../activities/host/error-code';
import { settable, toRegisterField } from '../../activities/ingest/decide/read-entry';
import type { ProjectLookups } from '../../activities/ingest/project-lookups';
import { findRegister, type Register } from '../../activities/registers/find-register';
import type { CellRules, RegisterField } from '../../activities/registers/read-cell';
import { findReceiptColumns } from '../../activities/registers/receipt/receipt-columns';
import { tellFault } from '../../activities/registers/register-fault';
import { readSheet } from '../../activities/registers/sheet/read-sheet';
import { SheetError } from '../../activities/registers/sheet/sheet-error';
import { SHEET_LIMITS } from '../../activities/registers/sheet/sheet-limits';
import type { ShareConfig } from '../../activities/share/share-config';
import { emptyWordOf } from '../../workflows/ingest/decide/empty-word';
import type { HeldDocument } from '../../workflows/ingest/ingest-contract';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { findShared, readShared, type SharedPlace } from '../session/named-file';
import { type AnswerableBatch, type AnswersReport, sendAnswers } from './answer-held';
import { chooseHeld } from './choose-held';
import { toSheetAnswers } from './sheet-answers';

/** A sheet with its columns named by the fields of the project. */
export interface AnswerSheet {
  readonly register: Register;
  readonly fields: readonly RegisterField[];
  readonly rules: CellRules;
  /** Headers of columns that are no fields of the project, without those of our receipts. */
  readonly unread: readonly string[];
}

/**
 * @param places where others may write: no link below them is followed.
 * @throws CliError with all that keeps the sheet from being read.
 */
export async function readAnswerSheet(
  file: string,
  places: readonly SharedPlace[],
  share: Pick<ShareConfig, 'project' | 'policy'>,
  lookups: Pick<ProjectLookups, 'rules'>,
): Promise<AnswerSheet> {
  const shared = await findShared(places, file);
  const reading = shared === undefined ? readBounded(file) : readShared(shared, SHEET_LIMITS.packedBytes);
  const bytes = await reading.catch(error => {
    if (error instanceof CliError) throw error;
    throw new CliError(`${file} cannot be read (${String(codeOf(error))}).`, EXIT_CODES.usage, error);
  });
  const known = settable(await lookups.rules(share.project));
  const fields = known.map(field => toRegisterField(field));
  return await readAnswers(bytes, basename(file), fields, share.policy);
}

/**
 * As `readAnswerSheet`, from bytes, for fields that are known already. @param fields all that may be given
 */
export async function readAnswers(
  bytes: Buffer,
  name: string,
  fields: readonly RegisterField[],
  policy: ShareConfig['policy'],
): Promise<AnswerSheet> {
  const sheet = await readSheet(bytes, name).catch(error => {
    if (!(error instanceof SheetError)) throw error;
    throw new CliError(`${name} cannot be used: ${error.message}`, EXIT_CODES.usage, error);
  });
  const { synonyms = {}, dates } = policy.register ?? {};
  const finding = findRegister(sheet, true, { fields, isComplete: true, synonyms });
  const faults =
    finding.kind === 'document' ? [] : finding.kind === 'unusable' ? finding.faults : finding.register.faults;
  if (finding.kind !== 'register' || faults.length > 0) {
    const why = faults.map(tellFault).join(' ') || 'It has no column for the file.';
    throw new CliError(`${name} cannot be used: ${why}`, EXIT_CODES.usage);
  }
  return {
    register: finding.register,
    fields,
    rules: { emptyWord: emptyWordOf(policy), ...(dates === undefined ? {} : { dates }) },
    unread: listUnread(finding.register),
  };
}

function listUnread({ columns }: Register): readonly string[] {
  const ours = new Set(findReceiptColumns(columns.map(({ header }) => header)));
  return columns
    .filter(({ index, header, meaning }) => meaning.kind === 'other' && header !== '' && !ours.has(index))
    .map(({ header }) => header);
}

/** Answers the documents that lack values; a row that is wrong holds back no other. */
export async function answerFromSheet(
  batches: readonly AnswerableBatch[],
  sheet: AnswerSheet,
  as: string | undefined,
): Promise<AnswersReport> {
  const asked: { readonly batch: AnswerableBatch; readonly held: readonly HeldDocument[] }[] = [];
  for (const batch of batches) asked.push({ batch, held: await batch.listHeld() });
  const all = toSheetAnswers(
    sheet.register,
    sheet.fields,
    sheet.rules,
    asked.flatMap(({ held }) => held),
  );
  const answerOf = new Map(all.answers.map(({ path, answer }) => [path, answer]));
  const refusedPaths = new Set(all.refused.map(({ document }) => document));
  const isListed = (path: string) => answerOf.has(path) || refusedPaths.has(path);
  const chosen = asked.map(({ batch, held }) => ({ batch, ...chooseHeld(held, isListed, { values: {} }) }));
  const parts = chosen.flatMap(({ batch, chosen: documents }) => {
    const answers = documents.flatMap(({ path }) => answerOf.get(path) ?? []);
    return answers.length === 0 ? [] : [{ batch, answers }];
  });
  const left = chosen.flatMap(one => one.left);
  const leftPaths = new Set(left.map(({ path }) => path));
  const sent = await sendAnswers(parts, as);
  return {
    taken: sent.taken,
    refused: [...all.refused.filter(({ document }) => !leftPaths.has(document)), ...sent.refused],
    left,
    unlisted: all.unlisted.filter(({ question }) => question === 'missing-values'),
  };
}

/** One byte more than a sheet may have is enough to see that it has too many. */
async function readBounded(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const bytes = Buffer.alloc(Math.min((await handle.stat()).size, SHEET_LIMITS.packedBytes + 1));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
