// The receipt as a spreadsheet opens it: UTF-8 with a byte order mark, CRLF, every cell quoted where it must
// be, and no cell that a spreadsheet would run as a formula. The JSON receipt keeps everything exactly. Pure.
import { stringify } from 'csv-stringify/sync';
import type { Receipt, ReceiptRow } from '../batch/kept-receipt';
import { folderOf, nameOf } from '../files/relative-path';

const OUTCOMES: Record<ReceiptRow['outcome'], string> = {
  submitted: 'submitted',
  'set-apart': 'set apart',
  held: 'held',
  open: 'still under way',
};

const BEFORE_FIELDS = [
  'file',
  'folder',
  'outcome',
  'revision_id',
  'upload_id',
  'reason',
  'what_to_do',
] as const;
const AFTER_FIELDS = ['sha256', 'size_bytes', 'claimed_at_utc', 'submitted_at_utc', 'notes'] as const;

/** One row a file in drop order; one column for each field label that any document has. */
export function toCsv(receipt: Receipt): string {
  const labels = [...new Set(receipt.files.flatMap(file => file.stored.map(({ label }) => label)))];
  const taken = new Set<string>([...BEFORE_FIELDS, ...AFTER_FIELDS]);
  const headings = labels.map(label => (taken.has(label.toLowerCase()) ? `${label} (field)` : label));
  const records = [
    [...BEFORE_FIELDS, ...headings, ...AFTER_FIELDS],
    ...receipt.files.map(file => toRecord(receipt, file, labels)),
  ];
  return stringify(
    records.map(record => record.map(toCell)),
    { bom: true, record_delimiter: '\r\n', quoted_match: /[\r\n]/ },
  );
}

function toRecord(receipt: Receipt, file: ReceiptRow, labels: readonly string[]): (string | number)[] {
  return [
    nameOf(file.path),
    folderOf(file.path),
    OUTCOMES[file.outcome],
    file.revisionId ?? '',
    file.uploadId ?? '',
    file.reason?.text ?? '',
    file.reason?.fix ?? '',
    ...labels.map(label =>
      file.stored
        .filter(value => value.label === label)
        .map(({ value }) => value)
        .join('; '),
    ),
    file.sha256 ?? '',
    file.sizeBytes,
    toSheetTime(receipt.claimedAt),
    toSheetTime(file.submittedAt),
    [...file.notes, ...pairingNotes(file)].join(' '),
  ];
}

function pairingNotes(file: ReceiptRow): string[] {
  if (file.outcome !== 'submitted') return [];
  if (file.revisionId === null) {
    return [
      'It is certain that the document was submitted, but the answer that named its revision was lost.',
    ];
  }
  return file.paired === 'by-order' ? ['The revision id was matched by the order of the answer.'] : [];
}

/**
 * An apostrophe keeps a spreadsheet from running a cell that begins like a formula. Where lists are
 * separated by semicolons or tabs, a spreadsheet cuts our cells there, whatever stands in quotes,
 * and each piece is a cell to it.
 */
function toCell(value: string | number): string | number {
  if (typeof value === 'number') return value;
  const text = value.replaceAll('\0', '\uFFFD');
  return text.replace(/(^|[;\t\r\n])(?=[\s"]*[=+\-@＝＋－＠]|^[\t\r\n])/g, "$1'");
}

/** `2026-01-31 09:30:00` in UTC: a form that spreadsheets read as a time in every language. */
function toSheetTime(instant: string | undefined): string {
  return instant === undefined ? '' : instant.slice(0, 19).replace('T', ' ');
}
