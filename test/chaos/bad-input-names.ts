// File names of every sort as real files of a real share, a corpus and random bytes: claimed, sealed,
// settled. Every file is somewhere, with its content; what the service would be told is a name; what is
// refused says why and what to do.
import { createHash } from 'node:crypto';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { createUploads } from '../../activities/service/endpoints/document-uploads';
import { toWireRequest } from '../../activities/service/send/wire-request';
import type { DropEntry } from '../../activities/share/drop/scan-drop';
import { openShare } from '../../activities/share/open-share';
import type { Share } from '../../activities/share/share';
import { SHARE_DEFAULTS } from '../../activities/share/share-config';
import type { FileHasher } from '../../activities/transfer/hashing/hash-file';
import type { RevisionId, UploadId } from '../../workflows/contract';
import type { DocumentOutcome } from '../../workflows/ingest/ingest-contract';
import { describeThrown, type KindResult, type KindRun, Tally } from './bad-input-kind';
import { Dice } from './bad-input-mutate';
import { CORPUS, MOST_NAME_BYTES, randomName } from './bad-input-name-corpus';

const NAMES_A_SHARE = 150;

/** Names by the hundred, each share with some of all sorts. */
export async function tryNames(run: KindRun): Promise<KindResult> {
  const dice = new Dice(run.seed);
  const tally = new Tally('names');
  for (let round = 0; tally.cases < run.cases; round++) {
    const root = join(run.folder, `share-${round}`);
    const where = `seed ${run.seed} share ${round}`;
    try {
      await tryShare(tally, dice, root, where, round === 0);
    } catch (error) {
      tally.violate('no crash', where, describeThrown(error));
      tally.ended('crash');
    }
  }
  return tally.result();
}

async function tryShare(
  tally: Tally,
  dice: Dice,
  root: string,
  where: string,
  isCorpus: boolean,
): Promise<void> {
  const share = await openShare(
    {
      ...SHARE_DEFAULTS,
      name: 'tender',
      folder: root,
      project: { companyId: '1', projectId: '2' },
      fileNamePattern: '^(?<number>[^_]+)_(?<revision>[^_.]+)',
      folderPattern: '(?<constructor>.+)',
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
  const dropped = dropFiles(tally, dice, join(root, 'drop'), where, isCorpus);
  const ended = await carryAll(tally, share, root, where);
  const found = contentsBelow(root);
  for (const [content, name] of dropped) {
    const places = found.get(content) ?? 0;
    if (places !== 1)
      tally.violate('1 none vanishes', `${where} ${JSON.stringify(name)}`, `is in ${places} places`);
    tally.ended(ended.get(content) ?? 'left in place');
  }
}

/** Content by the name it was dropped under; contents are all different. */
function dropFiles(
  tally: Tally,
  dice: Dice,
  drop: string,
  where: string,
  isCorpus: boolean,
): Map<string, string> {
  const dropped = new Map<string, string>();
  const names = isCorpus ? [...CORPUS] : [];
  while (names.length < NAMES_A_SHARE) names.push(randomName(dice));
  for (const [index, name] of names.entries()) {
    const content = `${where} file ${index}`;
    const folder = pickFolder(dice, drop, isCorpus);
    const place = Buffer.concat([folder, Buffer.from('/'), Buffer.from(name)]);
    try {
      mkdirSync(folder, { recursive: true });
      makeFile(dice, place, content, drop);
      dropped.set(contentOf(place) ?? '', Buffer.from(name).toString('utf8'));
    } catch (error) {
      // Not a name for this file system, or taken by a folder: nothing was dropped.
      const { code } = error as { code?: unknown };
      if (typeof code !== 'string') tally.violate('the case can be made', where, describeThrown(error));
    }
  }
  dropped.delete('');
  return dropped;
}

function pickFolder(dice: Dice, drop: string, isCorpus: boolean): Buffer {
  const base = Buffer.from(drop);
  if (isCorpus || dice.below(3) > 0) return base;
  const parts = Array.from({ length: 1 + dice.below(3) }, () =>
    dice.below(2) === 0
      ? randomName(dice)
      : Buffer.from(
          dice.pick(['Package A', '.hidden', 'ü', 'files', 'journal', 'constructor', 'x'.repeat(200)]),
        ),
  );
  return parts.reduce((folder, part) => Buffer.concat([folder, Buffer.from('/'), part]), base);
}

/** Mostly ordinary; some empty, linked twice, or a link to elsewhere. */
function makeFile(dice: Dice, place: Buffer, content: string, drop: string): void {
  switch (dice.below(25)) {
    case 0:
      symlinkSync(`/etc/passwd?${content}`, place);
      return;
    case 1:
      writeFileSync(join(drop, '..', `.twin-${createHash('sha256').update(content).digest('hex')}`), content);
      linkSync(join(drop, '..', `.twin-${createHash('sha256').update(content).digest('hex')}`), place);
      return;
    default:
      writeFileSync(place, content, { flag: 'wx' });
  }
}

/** How each content ended: `travels`, or the code of its refusal. */
async function carryAll(
  tally: Tally,
  share: Share,
  root: string,
  where: string,
): Promise<Map<string, string>> {
  const ended = new Map<string, string>();
  const entries: DropEntry[] = [];
  for await (const name of share.scan()) {
    const entry = await share.look(name);
    if (entry !== undefined) entries.push(entry);
  }
  for (let from = 0; from < entries.length; from += 100) {
    const { batch } = await share.claim(entries.slice(from, from + 100));
    if (batch === undefined) continue;
    const sealed = await share.writeManifest(batch);
    if (sealed.batchId === undefined) continue;
    const outcomes: DocumentOutcome[] = [];
    for (const file of sealed.manifest.files) {
      const content = contentOf(
        Buffer.concat([
          Buffer.from(`${batch.paths.files}/`),
          file.pathBytes === undefined ? Buffer.from(file.path) : Buffer.from(file.pathBytes, 'base64'),
        ]),
      );
      const at = `${where} ${JSON.stringify(file.path)}`;
      if (content === undefined)
        tally.violate('1 none vanishes', at, 'a file of the manifest is not where it should be');
      if (file.refused === undefined) {
        const { fileName, contentType: mimeType } = await share.fileToSend(sealed.batchId, file.index);
        judgeName(tally, at, fileName, mimeType);
        outcomes.push(submitted(file.index));
      } else {
        if (file.refused.text.length < 10 || file.refused.fix.length < 10)
          tally.violate('a clear error', at, JSON.stringify(file.refused));
        outcomes.push({ index: file.index, kind: 'set-apart', reason: file.refused });
      }
      if (content !== undefined) ended.set(content, file.refused?.code ?? 'travels');
    }
    const { receipts } = await share.settleUp(sealed.batchId, outcomes, { final: true });
    judgeReceipts(tally, root, where, receipts, sealed.manifest.files.length);
  }
  return ended;
}

/** What goes to the service as a name, and as a part of its JSON. */
function judgeName(tally: Tally, at: string, fileName: string, mimeType: string): void {
  const { body = '' } = toWireRequest(createUploads, {
    params: { companyId: '1', projectId: '2' },
    companyId: '1',
    body: { uploads: [{ fileName, mimeType }] },
  });
  const sent =
    (JSON.parse(Buffer.from(body).toString('utf8')) as { uploads: { file_name: string }[] }).uploads[0]
      ?.file_name ?? '';
  const isName =
    sent === fileName &&
    !/\p{Surrogate}/u.test(sent) &&
    sent.trim() !== '' &&
    Buffer.byteLength(sent) <= MOST_NAME_BYTES &&
    !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069/]/u.test(sent);
  if (!isName) tally.violate('a valid name', at, `would be sent as ${JSON.stringify(sent)}`);
}

function judgeReceipts(
  tally: Tally,
  root: string,
  where: string,
  receipts: readonly string[],
  files: number,
): void {
  if (receipts.length === 0) tally.violate('1 a receipt', where, 'there is no receipt');
  for (const receipt of receipts) {
    const rows = parse(readFileSync(join(root, receipt), 'utf8'), { bom: true }) as string[][];
    if (rows.length !== files + 1)
      tally.violate('1 a receipt', `${where} ${receipt}`, `${rows.length - 1} rows for ${files} files`);
    const formula = rows.flat().find(cell => /^[=+@\t\r]/.test(cell) || /^-[^\d]/.test(cell));
    if (formula !== undefined) tally.violate('no formula in a receipt', `${where} ${receipt}`, formula);
  }
}

function submitted(index: number): DocumentOutcome {
  return {
    index,
    kind: 'submitted',
    uploadId: `U${index}` as UploadId,
    revisionId: `R${index}` as RevisionId,
    paired: 'certain',
    submittedAtMs: 1_000,
    stored: [],
  };
}

/** How often each content lies somewhere below, whatever it is called. */
function contentsBelow(root: string): Map<string, number> {
  const counts = new Map<string, number>();
  const walk = (folder: Buffer): void => {
    for (const entry of readdirSync(folder, { encoding: 'buffer' })) {
      if (entry.toString('latin1').startsWith('.twin-')) continue;
      const place = Buffer.concat([folder, Buffer.from('/'), entry]);
      if (lstatSync(place).isDirectory()) walk(place);
      else {
        const content = contentOf(place) ?? '';
        counts.set(content, (counts.get(content) ?? 0) + 1);
      }
    }
  };
  walk(Buffer.from(root));
  return counts;
}

/** The text of a file, the target of a link; undefined when there is none. */
function contentOf(place: Buffer): string | undefined {
  try {
    return lstatSync(place).isSymbolicLink() ? readlinkSync(place, 'utf8') : readFileSync(place, 'utf8');
  } catch {
    return undefined;
  }
}

/** On the event loop: these files are small. */
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
