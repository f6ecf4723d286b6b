// Invariants that are read off the service's log: one revision a document, intent before submission, one
// upload for a document whose submission is in doubt, and everything the stand-in itself objects to.
import { DEFAULT_USERS } from '../sandbox/defaults';
import { type DocumentIndex, groupBy, nameOf } from './judge-documents';
import type { Evidence } from './judge-evidence';
import type { Judgement, Rule } from './judge-rule';
import { isAround, JUDGED_BY_TIME } from './judge-rules-impatience';
import type { BatchOnShare } from './judge-share';

/** Which invariant each objection of the stand-in belongs to. */
const OBJECTIONS: Readonly<Record<string, string>> = {
  'second-live-upload': '5 one live upload a document',
  'same-document-submitted-twice': '2 one revision a document',
  'incomplete-upload-submitted': '7 submitted only when COMPLETED was seen',
  'linked-before-available': '8 a file upload is linked once',
  'too-many-items': '10 a batch has 1 to 100 files',
  'same-item-twice': '11 every id is asked once and accounted for',
  'refresh-token-reused': '17 a token is exchanged once',
  'code-reused': '17 a token is exchanged once',
  'bearer-at-storage': '18 the bearer goes to the service alone',
  'foreign-header-at-storage': '18 the bearer goes to the service alone',
  'redirect-followed': '18 the bearer goes to the service alone',
};

/** Objections that mean nothing where the same document was dropped more than once. */
const ABOUT_TWINS = new Set(['second-live-upload', 'same-document-submitted-twice']);

export const SERVICE_RULES: readonly Rule[] = [
  { invariant: '2 one revision a document', find: findSecondRevisions },
  { invariant: '6 no other upload while a submission is in doubt', find: findOtherUploads },
  { invariant: '7 the intent is on the share before the submission', find: findUnintended },
  { invariant: '8 a file upload is linked once', find: findSharedFiles },
  { invariant: '9 nothing is finished with other bytes', find: findWrongBytes },
  { invariant: '16 no storm of requests', find: findStorm },
  ...[...new Set(Object.values(OBJECTIONS)), 'the service objects to nothing'].map(
    (invariant): Rule => ({
      invariant,
      find: (evidence, documents) => findObjections(invariant, evidence, documents),
    }),
  ),
];

/** Revisions that came of uploads of ours. */
export function ourRevisions({ revisions }: Evidence) {
  return revisions.filter(
    ({ uploadId, submittedBy }) => uploadId !== null && submittedBy !== DEFAULT_USERS.colleague,
  );
}

function findSecondRevisions(evidence: Evidence, documents: DocumentIndex): string[] {
  const called = ourRevisions(evidence).map(revision => ({
    ...revision,
    fileName: documents.calledOf(revision),
  }));
  const groups = groupBy(called, ({ fileName, sha256 }) => `${fileName}\0${sha256}`);
  return [...groups.values()].flatMap(group => {
    const [first] = group;
    if (first === undefined) return [];
    const allowed = documents.allowed(first.fileName, first.sha256);
    if (group.length <= allowed) return [];
    return allowed === 0
      ? [`revision ${first.id} of ${first.fileName} has bytes that were never dropped under this name`]
      : [`${first.fileName} was dropped ${allowed} times and has ${group.length} revisions`];
  });
}

interface Recorded {
  readonly index: number;
  readonly uploadId: string;
  readonly atMs: number;
}

function recorded(batch: BatchOnShare, kind: 'created' | 'intent'): Recorded[] {
  return batch.journal.flatMap(({ atMs, record }) =>
    record.kind === kind ? record.uploads.map(upload => ({ ...upload, atMs })) : [],
  );
}

/**
 * By the journal, and by the log: an upload that was made without a record of it counts as well. Not where
 * nobody can ever go on with it: a process that stood still, and was believed dead, ends its request when it
 * goes on, and no one hears of what came of that.
 */
function findOtherUploads(
  evidence: Evidence,
  documents: DocumentIndex,
  { hasUnaware, interruptions = [] }: Judgement,
): string[] {
  const statuses = new Map(evidence.uploads.map(({ id, status }) => [id, status]));
  const isIncomplete = (uploadId: string): boolean =>
    statuses.has(uploadId) && statuses.get(uploadId) !== 'COMPLETED';
  const frozen = interruptions.filter(({ kind }) => kind === 'frozen');
  const records = new Set(
    evidence.share.batches.flatMap(batch => recorded(batch, 'created').map(({ uploadId }) => uploadId)),
  );
  const creations = evidence.operations.flatMap(({ at, what, detail }) =>
    what === 'uploads-created'
      ? ((detail?.uploads ?? []) as { uploadId: string; fileName: string }[]).map(made => ({ at, ...made }))
      : [],
  );
  const unheard = creations.filter(
    ({ at, uploadId }) =>
      !records.has(uploadId) && isIncomplete(uploadId) && frozen.some(each => isAround(each, at)),
  );
  const excused = new Set(unheard.map(({ uploadId }) => uploadId));
  const isExcused = (uploadId: string): boolean =>
    excused.has(uploadId) || (hasUnaware === true && isIncomplete(uploadId));
  const byName = groupBy(creations, ({ fileName }) => fileName);
  return evidence.share.batches.flatMap(batch => {
    const created = recorded(batch, 'created');
    return recorded(batch, 'intent').flatMap(intent => {
      const file = batch.manifest?.files.find(({ index }) => index === intent.index);
      const name = nameOf(file?.path ?? '');
      const isOnlyOne = documents.allowed(name, file?.sha256 ?? '') === 1 && isUnique(evidence, name);
      const later = [
        ...created
          .filter(({ index, atMs }) => index === intent.index && atMs > intent.atMs)
          .map(({ atMs, uploadId }) => ({ at: atMs, uploadId })),
        ...(isOnlyOne ? (byName.get(name) ?? []) : []).filter(({ at }) => at > intent.atMs),
      ].filter(({ uploadId }) => uploadId !== intent.uploadId && !isExcused(uploadId));
      return later.map(({ at, uploadId }) => {
        const record = records.has(uploadId) ? 'recorded' : 'without a record';
        return `${file?.path}: upload ${uploadId} (${statuses.get(uploadId)}, ${record}) was made ${at - intent.atMs} ms after the intent to submit ${intent.uploadId}`;
      });
    });
  });
}

function isUnique({ dropped }: Evidence, name: string): boolean {
  const same = dropped.filter(({ path }) => nameOf(path) === name);
  return same.length === 1 && (same[0]?.drops ?? 1) === 1;
}

/**
 * In the order of the log: completed, then submitted; and the intent, by the journal's
 * own time, before either's end.
 */
function findUnintended(evidence: Evidence): string[] {
  const intents = new Map<string, number>();
  for (const batch of evidence.share.batches) {
    for (const { uploadId, atMs } of recorded(batch, 'intent')) {
      intents.set(uploadId, Math.min(atMs, intents.get(uploadId) ?? atMs));
    }
  }
  const completed = new Set<unknown>();
  const findings: string[] = [];
  for (const { at, what, detail } of evidence.operations) {
    if (what === 'upload-completed') completed.add(detail?.uploadId);
    if (what !== 'revision-created') continue;
    const uploadId = String(detail?.uploadId);
    const document = `${String(detail?.fileName)} (upload ${uploadId})`;
    if (!completed.has(uploadId)) findings.push(`${document} was submitted before it was COMPLETED`);
    const intendedAt = intents.get(uploadId);
    if (intendedAt === undefined) findings.push(`${document} was submitted without an intent on the share`);
    else if (intendedAt > at) findings.push(`${document} was submitted before the intent was on the share`);
  }
  return findings;
}

function findSharedFiles({ operations }: Evidence): string[] {
  const links = operations.flatMap(({ detail, what }) =>
    (what === 'upload-completed' || what === 'upload-updated') && detail?.fileUploadId !== undefined
      ? [{ fileUploadId: String(detail.fileUploadId), uploadId: String(detail.uploadId) }]
      : [],
  );
  return [...groupBy(links, ({ fileUploadId }) => fileUploadId)].flatMap(([fileUploadId, group]) => {
    const uploads = new Set(group.map(({ uploadId }) => uploadId));
    return uploads.size > 1
      ? [`file upload ${fileUploadId} was linked to the uploads ${[...uploads].join(', ')}`]
      : [];
  });
}

/**
 * A segment that storage refused (length, checksum) must have been stored by a later
 * try before the file is finished.
 */
function findWrongBytes(evidence: Evidence): string[] {
  const refused = new Set<string>();
  const findings: string[] = [];
  for (const { what, detail } of evidence.operations) {
    const segment = `${String(detail?.fileUploadId)}/${String(detail?.segment)}`;
    if (what === 'segment-refused') refused.add(segment);
    if (what === 'segment-stored') refused.delete(segment);
    if (what !== 'file-completed') continue;
    const isWrong = [...refused].some(each => each.startsWith(`${String(detail?.fileUploadId)}/`));
    if (isWrong) findings.push(`${String(detail?.fileName)} was finished although a segment had other bytes`);
  }
  return findings;
}

function findStorm({ operations }: Evidence, _: DocumentIndex, { mostRequests }: Judgement): string[] {
  const requests = operations.filter(({ kind }) => kind === 'request').length;
  return typeof mostRequests === 'number' && requests > mostRequests
    ? [`${requests} requests, where ${mostRequests} are the most`]
    : [];
}

function findObjections(
  invariant: string,
  { serviceViolations }: Evidence,
  documents: DocumentIndex,
): string[] {
  return serviceViolations.flatMap(({ what = '', route, request, detail }) => {
    if ((OBJECTIONS[what] ?? 'the service objects to nothing') !== invariant) return [];
    if (JUDGED_BY_TIME.has(what)) return [];
    if (ABOUT_TWINS.has(what) && documents.isTwin(String(detail?.fileName))) return [];
    return [`${what} at ${route}, request ${request}: ${JSON.stringify(detail ?? {})}`];
  });
}
