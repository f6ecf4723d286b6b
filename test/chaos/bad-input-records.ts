// Files of ours edited by hand or damaged: manifests, claims, journal records, receipts, token stores.
// They read as they were, as an earlier state, or as one clear error; never as a revision that there is
// not, and no file is lost over it.
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ApplicationFailure } from '@temporalio/common';
import { toActivityFailure } from '../../activities/scope/failure';
import { FileTokenStore } from '../../activities/service/tokens/file-token-store';
import type { TokenRecord } from '../../activities/service/tokens/token-store';
import type { BatchContents } from '../../activities/share/batch/read-batch';
import { openShare } from '../../activities/share/open-share';
import type { Share } from '../../activities/share/share';
import { SHARE_DEFAULTS } from '../../activities/share/share-config';
import type { FileHasher } from '../../activities/transfer/hashing/hash-file';
import type { RevisionId, UploadId } from '../../workflows/contract';
import type { DocumentOutcome, JournalRecord } from '../../workflows/ingest/ingest-contract';
import type { FailureType } from '../../workflows/run/failure-contract';
import { describeThrown, type KindResult, type KindRun, Tally } from './bad-input-kind';
import { Dice, type Json, spoilBytes, spoilJson, toText } from './bad-input-mutate';

const ACCESS = 'canary-record-access-77d1';
const REFRESH = 'canary-record-refresh-18c2';
const FILES = ['a.pdf', 'b.pdf', 'folder/c.pdf'] as const;
/** Anything else that a reader of a share throws is a crash. */
const CLEAR: ReadonlySet<string> = new Set<FailureType>([
  'BATCH_UNUSABLE',
  'SHARE_UNAVAILABLE',
  'MISCONFIGURED',
]);

interface Bed {
  readonly root: string;
  readonly share: Share;
  readonly batchId: string;
  readonly folder: string;
  readonly manifestSha256: string;
  /** What is read when nothing is spoiled, and when one record of the journal is left out. */
  readonly states: readonly BatchContents[];
}

/** Spoils one file of a batch at a time, and reads all of it. */
export async function tryRecords(run: KindRun): Promise<KindResult> {
  const dice = new Dice(run.seed);
  const tally = new Tally('records');
  const template = join(run.folder, 'template');
  const made = await makeBatch(template);
  for (let turn = 0; turn < run.cases; turn++) {
    const where = `seed ${run.seed} turn ${turn}`;
    if (turn % 4 === 0) await tryTokens(tally, dice, join(run.folder, 'tokens'), where);
    else await tryBatch(tally, dice, template, join(run.folder, 'share'), made, where);
  }
  return tally.result();
}

async function tryBatch(
  tally: Tally,
  dice: Dice,
  template: string,
  root: string,
  made: Bed,
  where: string,
): Promise<void> {
  rmSync(root, { recursive: true, force: true });
  cpSync(template, root, { recursive: true, preserveTimestamps: true });
  const share = await open(root);
  const folder = join(root, '.drawbridge', 'batches', made.batchId);
  const name = dice.pick(filesOf(folder));
  const spoiled = spoilFile(dice, readFileSync(join(folder, name)), join(folder, dice.pick(filesOf(folder))));
  writeFileSync(join(folder, name), spoiled);
  const at = `${name} ${where}`;
  const isWhole = isSameJson(
    spoiled,
    readFileSync(join(template, '.drawbridge', 'batches', made.batchId, name)),
  );
  const hasSeal = spoiled.includes('"seal"');
  await readAll(tally, share, made, at, hasSeal);
  await settle(tally, share, made, root, at, isWhole, hasSeal);
}

/** Reads what a start, a continuation and a look read. */
async function readAll(tally: Tally, share: Share, made: Bed, at: string, hasSeal: boolean): Promise<void> {
  try {
    const read = await share.readBatch(made.batchId, made.manifestSha256);
    const isKnown = made.states.some(state => isDeepStrictEqual(state.known, read.known));
    if (!isKnown) tally.violate('27 an earlier valid state', at, JSON.stringify(read.known));
    const receipts = made.states[0]?.receipt;
    if (hasSeal && read.receipt !== undefined && !isDeepStrictEqual(receipts, read.receipt)) {
      tally.violate('3 no wrong receipt', at, JSON.stringify(read.receipt));
    }
    tally.ended('read');
  } catch (error) {
    judgeError(tally, at, error);
  }
  for (const look of [() => share.openBatches(), () => share.readSeal(made.batchId)]) {
    await look().catch((error: unknown) => void judgeError(tally, at, error, false));
  }
}

/**
 * Settles the batch: in the end every file lies somewhere once, and only what was submitted lies in `done`.
 */
async function settle(
  tally: Tally,
  share: Share,
  made: Bed,
  root: string,
  at: string,
  isWhole: boolean,
  isSealed: boolean,
): Promise<void> {
  try {
    await share.settleUp(made.batchId, [setApart(1), setApart(2)], { final: true });
  } catch (error) {
    judgeError(tally, at, error, false);
    if (isWhole) tally.violate('a whole file is read', at, describeThrown(error));
  }
  const places = placesOf(root);
  for (const file of FILES) {
    const found = places.get(`content of ${file}`) ?? [];
    if (found.length !== 1) tally.violate('1 none vanishes', at, `${file} is at ${JSON.stringify(found)}`);
    if (isSealed && found.some(place => place.startsWith('drop/')))
      tally.violate('2 never carried again', at, String(found));
    if (file !== FILES[0] && found.some(place => place.startsWith('done/')))
      tally.violate('3 no wrong "submitted"', at, String(found));
  }
}

function judgeError(tally: Tally, at: string, error: unknown, isCase = true): void {
  const failure = toActivityFailure(error);
  const type = failure instanceof ApplicationFailure ? failure.type : undefined;
  if (!CLEAR.has(type ?? '')) {
    tally.violate('a clear error', at, `${type}: ${describeThrown(error)}`);
  }
  if (isCase) tally.ended(String(type));
}

function spoilFile(dice: Dice, bytes: Buffer, other: string): Buffer {
  if (dice.below(10) === 0) return readFileSync(other);
  if (dice.below(3) === 0) return editByHand(dice, bytes.toString('utf8'));
  if (dice.below(2) === 0) return spoilBytes(dice, bytes);
  const json = JSON.parse(bytes.toString('utf8')) as Json;
  return Buffer.from(toText(spoilJson(dice, json)));
}

/** As somebody would who knows what it says: a word for another, a digit for another. */
function editByHand(dice: Dice, text: string): Buffer {
  const [from, to] = dice.pick([
    ['"held"', '"submitted"'],
    ['"submitted"', '"set-apart"'],
    ['U1', 'U9'],
    ['U0', 'U1'],
    ['R0', 'R9'],
    ['intent', 'created'],
    ['"final": false', '"final": true'],
    ['b.pdf', 'a.pdf'],
    ['"index": 1', '"index": 0'],
  ] as const);
  const edited = text.replaceAll(from, to);
  if (edited !== text) return Buffer.from(edited);
  const places = [...text.matchAll(/[0-9a-f]/g)].map(({ index }) => index);
  const at = dice.pick(places);
  return Buffer.from(`${text.slice(0, at)}${text[at] === '1' ? '2' : '1'}${text.slice(at + 1)}`);
}

function isSameJson(one: Buffer, other: Buffer): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(one.toString('utf8')), JSON.parse(other.toString('utf8')));
  } catch {
    return false;
  }
}

/** A batch of three: one submitted and moved, two on their way. */
async function makeBatch(root: string): Promise<Bed> {
  const share = await open(root);
  for (const file of FILES) {
    mkdirSync(join(root, 'drop', file, '..'), { recursive: true });
    writeFileSync(join(root, 'drop', file), `content of ${file}`);
  }
  const { batch } = await share.claim([...FILES]);
  if (batch === undefined) throw new Error('nothing was claimed');
  const sealed = await share.writeManifest(batch);
  if (sealed.batchId === undefined) throw new Error('nothing was sealed');
  const { batchId, manifestSha256 } = sealed;
  const uploads = [0, 1, 2].map(index => ({ index, uploadId: `U${index}` as UploadId }));
  const records: JournalRecord[] = [
    { kind: 'created', uploads },
    { kind: 'transferred', files: [{ index: 0, fileUploadId: 'F0' as never, openedAtMs: 1 }] },
    { kind: 'completed', uploads },
    { kind: 'intent', uploads: uploads.slice(0, 2) },
    { kind: 'outcome', outcomes: [submitted(0)] },
  ];
  for (const record of records) await share.appendRecord(batchId, record);
  const held = [1, 2].map(index => ({ index, reason: REASON }));
  await share.settleUp(batchId, [submitted(0)], { final: false, held });
  const folder = join(root, '.drawbridge', 'batches', batchId);
  const states = [await share.readBatch(batchId)];
  for (const name of filesOf(folder).filter(each => each.startsWith('journal/'))) {
    const content = readFileSync(join(folder, name));
    rmSync(join(folder, name));
    states.push(await share.readBatch(batchId));
    writeFileSync(join(folder, name), content);
  }
  return { root, share, batchId, folder, manifestSha256, states };
}

const REASON = { code: 'missing-values', text: 'A value is missing.', fix: 'Give it.' };

function submitted(index: number): DocumentOutcome {
  return {
    index,
    kind: 'submitted',
    uploadId: `U${index}` as UploadId,
    revisionId: `R${index}` as RevisionId,
    paired: 'certain',
    submittedAtMs: 1_000,
    stored: [{ label: 'Number', value: 'A' }],
  };
}

function setApart(index: number): DocumentOutcome {
  return { index, kind: 'set-apart', reason: REASON };
}

/** Tokens edited by hand: what is not a record of ours is never used, and never quoted. */
async function tryTokens(tally: Tally, dice: Dice, folder: string, where: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const key = Buffer.alloc(32, 1);
  const isSealed = dice.below(2) === 0;
  const config = { authUrl: 'https://login.example.com', clientId: 'client-1' };
  const store = new FileTokenStore({ folder, config, ...(isSealed ? { keys: [key] } : {}) });
  await store.lock(async () => await store.save(RECORD));
  const bytes = readFileSync(store.path);
  const spoiled =
    dice.below(2) === 0
      ? spoilBytes(dice, bytes)
      : Buffer.from(toText(spoilJson(dice, JSON.parse(bytes.toString('utf8')) as Json)));
  writeFileSync(store.path, spoiled);
  if (dice.below(20) === 0) chmodSync(store.path, 0o644);
  try {
    const record = await store.load();
    if (isSealed && record !== null && !isDeepStrictEqual(record, RECORD))
      tally.violate('3 no wrong token', where, 'a sealed record was changed');
    if (record?.accessToken != null && !/^[\x21-\x7e]+$/.test(record.accessToken))
      tally.violate('a token can be sent', where, 'not as a header');
    tally.ended('tokens read');
  } catch (error) {
    const failure = toActivityFailure(error);
    const type = failure instanceof ApplicationFailure ? failure.type : undefined;
    const said = `${failure.message} ${(error as Error).stack} ${JSON.stringify((error as Error).cause ?? '')}`;
    if (type !== 'MISCONFIGURED') tally.violate('a clear error', where, describeThrown(error));
    if (said.includes(ACCESS) || said.includes(REFRESH))
      tally.violate('19 no secret', where, 'the error quotes a token');
    tally.ended('tokens refused');
  }
}

const RECORD: TokenRecord = {
  version: 1,
  authOrigin: 'https://login.example.com',
  clientId: 'client-1',
  grant: 'refresh_token',
  generation: 3,
  accessToken: ACCESS,
  refreshToken: REFRESH,
  obtainedAtMs: 1_000,
  lifetimeMs: 5_400_000,
  exchange: null,
  burnt: null,
  seed: null,
};

async function open(root: string): Promise<Share> {
  return await openShare(
    {
      ...SHARE_DEFAULTS,
      name: 'tender',
      folder: root,
      project: { companyId: '1', projectId: '2' },
      policy: {
        conflict: { kind: 'ask' },
        missing: 'hold',
        holdMs: 1,
        conflictRetryMs: 1,
        lookAgain: { everyMs: 1, forMs: 1 },
        analysis: { firstLookMs: 1, everyMs: 1, typicalMs: 1, forMs: 1 },
        transferChunk: 10,
        linkWithinMs: 1,
        naming: 'file',
        patternFields: [],
        createOneByOne: false,
        defaults: {},
      },
    },
    { hasher, logger: { info: () => undefined, warn: () => undefined }, key: Buffer.alloc(32, 7) },
  );
}

const hasher: FileHasher = {
  async hashFile(path) {
    const bytes = readFileSync(path);
    return {
      sizeBytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      segments: [],
    };
  },
};

/** The batch's own files, relative to its folder. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.json'))
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/** Where each content lies on the share. */
function placesOf(root: string): Map<string, string[]> {
  const places = new Map<string, string[]>();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const place = join(entry.parentPath, entry.name);
    const content = readFileSync(place, 'utf8').slice(0, 100);
    places.set(content, [...(places.get(content) ?? []), place.slice(root.length + 1)]);
  }
  return places;
}
