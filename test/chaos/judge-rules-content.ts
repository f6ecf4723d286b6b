// What the judge knows of a document's content, by an oracle of its own written from the contract: where a
// revision is, whose it is, what its fields say, and what people find beside their files.
import { parse } from 'csv-parse/sync';
import { DEFAULT_USERS } from '../sandbox/defaults';
import { compareValues, foretell } from './foretold-values';
import { type DocumentIndex, groupBy, nameOf } from './judge-documents';
import type { Evidence } from './judge-evidence';
import type { Judgement, Rule } from './judge-rule';
import { isSoFar } from './judge-rules-end';
import { ourRevisions } from './judge-rules-service';
import { folderOf, type ReceiptOnShare, type ReceiptRowOnShare } from './judge-share';
import type { SheetOfJob, SheetRow } from './judge-sheets';

export const CONTENT_RULES: readonly Rule[] = [
  { invariant: '2 one revision a document, whoever submitted it', find: findSecondByAnybody },
  { invariant: '2 a revision is in its project and of its account', find: findStrangePlaces },
  { invariant: '25 fields have the values that they should', find: findWrongValues },
  { invariant: '25 nothing is written over what people wrote', find: findOverwrittenEdits },
  { invariant: '3 what is set apart says why', onlyAtRest: true, find: findUnexplained },
  { invariant: '3 receipts beside the files are the receipt', onlyAtRest: true, find: findOtherReceipts },
];

/** Required of every document by every project (specification, Upload requirement). */
const REQUIRED = ['name', 'type', 'status', 'revision'] as const;

/** Uploads that were made by requests of ours; people make none. */
function uploadsMade({ operations }: Evidence): Set<string> {
  const made = operations.flatMap(({ what, detail }) =>
    what === 'uploads-created' ? ((detail?.uploads ?? []) as { uploadId: string }[]) : [],
  );
  return new Set(made.map(({ uploadId }) => uploadId));
}

/**
 * A person who submits one of our uploads has made the revision: another one of
 * the same file is one too many.
 */
function findSecondByAnybody(evidence: Evidence, documents: DocumentIndex): string[] {
  const made = uploadsMade(evidence);
  const called = evidence.revisions.flatMap(revision =>
    revision.uploadId !== null && made.has(revision.uploadId)
      ? [{ ...revision, fileName: documents.documentOf(revision) }]
      : [],
  );
  const groups = groupBy(called, ({ fileName, sha256 }) => `${fileName}\0${sha256}`);
  return [...groups.values()].flatMap(group => {
    const [first] = group;
    const allowed = first === undefined ? 0 : documents.allowed(first.fileName, first.sha256);
    const isByPeople = group.some(({ submittedBy }) => submittedBy === DEFAULT_USERS.colleague);
    if (first === undefined || !isByPeople || group.length <= allowed) return [];
    return [
      `${first.fileName} was dropped ${allowed} times and has ${group.length} revisions, some by people`,
    ];
  });
}

/** Wherever the revision is: one that lies in the same wrong project as its upload is in a wrong one, too. */
function findStrangePlaces(evidence: Evidence, _: DocumentIndex, { projectId }: Judgement): string[] {
  const uploads = evidence.uploads.flatMap(upload =>
    upload.projectId === projectId ? [] : [`${upload.fileName} has an upload in project ${upload.projectId}`],
  );
  const revisions = ourRevisions(evidence).flatMap(revision => {
    const { fileName, submittedBy } = revision;
    const findings: string[] = [];
    if (revision.projectId !== projectId)
      findings.push(`${fileName} became a revision of project ${revision.projectId}`);
    if (submittedBy !== DEFAULT_USERS.serviceAccount && submittedBy !== DEFAULT_USERS.signedIn)
      findings.push(`${fileName} was submitted by user ${submittedBy}`);
    return findings;
  });
  return [...uploads, ...revisions];
}

/**
 * The fields that every project requires are there, and every field has the value that is foretold for the
 * file whose bytes the revision has; of several files with the same bytes for one of them.
 */
function findWrongValues(evidence: Evidence, documents: DocumentIndex, { values }: Judgement): string[] {
  const edits = groupBy(editsByPeople(evidence), ({ uploadId }) => uploadId);
  const uploads = new Map(evidence.uploads.map(upload => [upload.id, upload]));
  const claimed = evidence.share.batches.flatMap(({ manifest }) =>
    (manifest?.files ?? []).map(({ path }) => path),
  );
  return ourRevisions(evidence).flatMap(({ fileName, uploadId, sha256, fields }) => {
    const empty = REQUIRED.filter(name => (fields[name] ?? []).length === 0).map(
      name => `${fileName} was submitted without ${name}`,
    );
    const letBe = new Set((edits.get(uploadId ?? '') ?? []).map(({ field }) => field));
    const upload = uploads.get(uploadId ?? '');
    const [wrong = []] = documents
      .pathsOf(sha256, claimed)
      .map(path => compareValues(fields, foretell(path, values, upload), letBe))
      .sort((one, other) => one.length - other.length);
    return [...empty, ...wrong.map(what => `${fileName} has ${what}`)];
  });
}

interface EditByPerson {
  readonly seq: number;
  readonly uploadId: string;
  readonly field: string;
}

function editsByPeople({ operations }: Evidence): EditByPerson[] {
  return operations.flatMap(({ seq, what, detail }) =>
    what === 'edit-upload' ? [{ seq, uploadId: String(detail?.uploadId), field: String(detail?.field) }] : [],
  );
}

/**
 * An update of values alone comes after the file was linked, when people see the document and may have
 * corrected it. A repeated link is left out: it says again what it said before it could know of anybody.
 */
function findOverwrittenEdits(evidence: Evidence): string[] {
  const edits = editsByPeople(evidence);
  return evidence.operations.flatMap(({ seq, what, detail }) => {
    if (what !== 'upload-updated' || detail?.fileUploadId !== undefined) return [];
    const written = (detail?.fields ?? []) as readonly string[];
    return edits
      .filter(edit => edit.seq < seq && edit.uploadId === detail?.uploadId && written.includes(edit.field))
      .map(({ field }) => `${String(detail?.fileName)}: ${field} was written over what a person had written`);
  });
}

function findUnexplained({ share }: Evidence): string[] {
  return share.batches.flatMap(({ batchId, receipt }) =>
    (receipt?.files ?? []).flatMap(({ path, outcome, reason }) =>
      (outcome === 'set-apart' || outcome === 'held') && (reason?.code ?? '') === ''
        ? [`batch ${batchId}: ${path} is ${outcome} without a reason`]
        : [],
    ),
  );
}

/** What people open must say the same as what we keep. */
function findOtherReceipts({ share }: Evidence): string[] {
  const kept = keptByFolder(share);
  return share.receipts.flatMap(({ place, batchId, name, receipt, csv, sheet }) => {
    const ours = kept.get(batchId);
    // One that is not final says less, and is gone at the end: that is another rule's.
    if (receipt?.final === false || isSoFar(name)) return [];
    const say = (what: string) => `${place}/${batchId}/${name} ${what}`;
    if (ours === undefined) return [say('is of nothing that is kept')];
    if (sheet !== undefined) return compareSheet(sheet, ours).map(say);
    if (receipt !== undefined && rowsOf(receipt) !== rowsOf(ours)) return [say('differs from what is kept')];
    if (csv === undefined) return [];
    const rows = readRows(csv);
    if (rows === undefined) return [say('is no table')];
    const expected = ours.files.map(toCsvRow).map(row => JSON.stringify(row));
    const said = rows.map(row => JSON.stringify(row));
    const at = expected.findIndex((row, index) => row !== said[index]);
    return at < 0 && said.length === expected.length
      ? []
      : [
          say(
            `says something else than the receipt: ${said.length} rows of ${expected.length}, ${said[at] ?? 'one too many'} where ${expected[at] ?? 'nothing'} is kept`,
          ),
        ];
  });
}

/** By the folder in done and attention; of a job with the rows of all its batches, in their order. */
function keptByFolder({ batches }: Evidence['share']): ReadonlyMap<string, ReceiptOnShare | undefined> {
  const kept = new Map<string, ReceiptOnShare | undefined>();
  const partOf = ({ manifest }: (typeof batches)[number]) => manifest?.job?.part ?? 0;
  for (const batch of batches.toSorted((one, other) => partOf(one) - partOf(other))) {
    const folder = folderOf(batch);
    const before = kept.get(folder);
    const { receipt } = batch;
    const files = [...(before?.files ?? []), ...(receipt?.files ?? [])];
    kept.set(folder, receipt === undefined ? before : { ...receipt, files });
  }
  return kept;
}

function rowsOf({ files }: ReceiptOnShare): string {
  return JSON.stringify(
    files.map(({ index, path, outcome, revisionId, uploadId, reason, sha256 }) => [
      index,
      path,
      outcome,
      revisionId ?? null,
      uploadId ?? null,
      reason?.code ?? null,
      sha256 ?? null,
    ]),
  );
}

const WORDS: Readonly<Record<ReceiptRowOnShare['outcome'], string>> = {
  submitted: 'submitted',
  'set-apart': 'set apart',
  skipped: 'skipped',
  held: 'held',
  open: 'still under way',
};

function toCsvRow(row: ReceiptRowOnShare): string[] {
  return [
    guarded(nameOf(row.path)),
    WORDS[row.outcome],
    row.revisionId ?? '',
    row.uploadId ?? '',
    row.sha256 ?? '',
  ];
}

/** Apostrophes keep spreadsheets from running a name, control characters are left out: no difference. */
function guarded(name: string): string {
  return name.replaceAll(/['\p{Cc}\uFFFD]/gu, '');
}

/** As people read them in the sheet of a job. */
const SHEET_WORDS: Readonly<Record<ReceiptRowOnShare['outcome'], string>> = {
  submitted: 'Through',
  'set-apart': 'Set apart',
  skipped: 'Already there',
  held: 'Held',
  open: 'On the way',
};

/** Every file that is kept has one row, which says what is kept; there is no other row. */
function compareSheet(sheet: SheetOfJob, { files, job }: ReceiptOnShare): string[] {
  if (sheet === 'unreadable') return ['cannot be read'];
  const left = new Set(files);
  const strange = sheet.flatMap(row => {
    const whose = job === undefined ? '' : job.id;
    if (!row.mark.startsWith(whose)) return [`has a row of another job: ${row.mark}`];
    // Of a file that did not come nothing is kept.
    const isOfAFile = row.uploadId !== '' || row.sha256 !== '';
    if (!isOfAFile && row.outcome === SHEET_WORDS['set-apart'] && /^Listed, not there\./.test(row.reason))
      return [];
    const told = files.find(file => left.has(file) && isTold(row, file));
    if (told === undefined) return [`says what is not kept: ${JSON.stringify(row)}`];
    left.delete(told);
    const isUnexplained = (told.outcome === 'set-apart' || told.outcome === 'held') && row.reason === '';
    return isUnexplained ? [`does not say why ${told.path} is ${told.outcome}`] : [];
  });
  return [...strange, ...[...left].map(({ path, outcome }) => `does not say that ${path} is ${outcome}`)];
}

function isTold(row: SheetRow, file: ReceiptRowOnShare): boolean {
  const { outcome, revisionId } = file;
  const number = / row (\d+)/.exec(row.mark)?.[1];
  return (
    row.outcome === SHEET_WORDS[outcome] &&
    row.revisionId === (revisionId ?? (outcome === 'submitted' ? 'not told' : '')) &&
    row.uploadId === (file.uploadId ?? '') &&
    row.sha256 === (file.sha256 ?? '') &&
    (number === undefined || number === String(file.row)) &&
    (row.file === undefined || isNamed(row.file, file.path))
  );
}

/** A register may leave out the folder, the ending, and how letters are written. */
function isNamed(text: string, path: string): boolean {
  const fold = (name: string) => guarded(name.normalize('NFC')).trim().toLowerCase();
  const called = fold(text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1));
  const name = fold(nameOf(path));
  return called === name || called === name.replace(/\.[^.]*$/, '');
}

/** What a receipt names besides its documents. */
const NO_DOCUMENTS: ReadonlySet<string> = new Set(['ignored', 'register', 'listed, not there']);

function readRows(csv: string): string[][] | undefined {
  try {
    const rows = parse(csv, { bom: true, columns: true, relax_column_count: false }) as Record<
      string,
      string
    >[];
    const documents = rows.filter(({ outcome }) => !NO_DOCUMENTS.has(outcome ?? ''));
    return documents.map(row => [
      guarded(row.file ?? ''),
      row.outcome ?? '',
      row.revision_id ?? '',
      row.upload_id ?? '',
      row.sha256 ?? '',
    ]);
  } catch {
    return undefined;
  }
}
