import fc from 'fast-check';
import { type DatedRecord, foldJournal } from '../../../../activities/share/batch/fold-journal';
import type { EventId, FileUploadId, RevisionId, UploadId } from '../../../../workflows/contract';
import type { JournalRecord } from '../../../../workflows/ingest/ingest-contract';

const U = (name: string) => name as UploadId;
const uploads = (...ids: string[]) => ids.map((id, index) => ({ index, uploadId: U(id) }));

function dated(...records: JournalRecord[]): DatedRecord[] {
  return records.map((record, index) => ({ atMs: 1_000 + index, name: `r${index}`, record }));
}

describe('foldJournal', () => {
  test('knows nothing from nothing', () => {
    expect(foldJournal([])).toEqual([]);
  });

  test('takes the newest upload when none has an intent', () => {
    const records = dated(
      { kind: 'created', uploads: uploads('A') },
      { kind: 'created', uploads: uploads('B') },
    );
    expect(foldJournal(records)).toEqual([{ index: 0, uploadId: 'B' }]);
  });

  test('takes the upload with an intent, though another one is newer', () => {
    const records = dated(
      { kind: 'intent', uploads: uploads('A') },
      { kind: 'created', uploads: uploads('B') },
      { kind: 'completed', uploads: uploads('B') },
    );
    expect(foldJournal(records)).toEqual([{ index: 0, uploadId: 'A', completed: true, intended: true }]);
  });

  test('keeps the event id of the newest intent, for that upload alone', () => {
    const intent = (id: string, eventId: string): JournalRecord => ({
      kind: 'intent',
      uploads: uploads(id).map(upload => ({ ...upload, eventId: eventId as EventId })),
    });
    const records = dated(
      intent('A', 'E1'),
      intent('B', 'E2'),
      intent('B', 'E3'),
      { kind: 'intent', uploads: uploads('B') },
      { kind: 'completed', uploads: uploads('A') },
      { kind: 'completed', uploads: uploads('B') },
    );
    expect(foldJournal(records)).toEqual([
      { index: 0, uploadId: 'B', completed: true, intended: true, eventId: 'E3' },
    ]);
  });

  test('does not take a completion of one upload for that of another', () => {
    const records = dated(
      { kind: 'completed', uploads: uploads('A') },
      { kind: 'created', uploads: uploads('B') },
    );
    expect(foldJournal(records)).toEqual([{ index: 0, uploadId: 'B' }]);
  });

  test('leaves an upload that was given to another document since to that one, file and all', () => {
    const file = { index: 1, fileUploadId: 'F' as FileUploadId, openedAtMs: 7 };
    const records = dated(
      { kind: 'created', uploads: uploads('A', 'B') },
      { kind: 'transferred', files: [file] },
      { kind: 'completed', uploads: [{ index: 0, uploadId: U('B') }] },
    );
    expect(foldJournal(records)).toEqual([{ index: 0, uploadId: 'B', completed: true }, { index: 1 }]);
  });

  test('keeps an upload for the document with an intent to submit it, or that became a revision with it', () => {
    const created: JournalRecord = { kind: 'created', uploads: uploads('A', 'B') };
    const later: JournalRecord = { kind: 'completed', uploads: [{ index: 0, uploadId: U('B') }] };
    const intent: JournalRecord = { kind: 'intent', uploads: [{ index: 1, uploadId: U('B') }] };
    const outcome = {
      index: 1,
      kind: 'submitted' as const,
      uploadId: U('B'),
      revisionId: null,
      paired: 'unknown' as const,
      submittedAtMs: 5,
    };
    const intended = { index: 1, uploadId: 'B', completed: true, intended: true };
    expect(foldJournal(dated(created, intent, later))).toEqual([{ index: 0 }, intended]);
    expect(foldJournal(dated(created, { kind: 'outcome', outcomes: [outcome] }, later))).toEqual([
      { index: 0 },
      { index: 1, uploadId: 'B', outcome },
    ]);
  });

  test('keeps a submission whatever is recorded after it', () => {
    const outcome = {
      index: 0,
      kind: 'submitted' as const,
      uploadId: U('A'),
      revisionId: 'R' as RevisionId,
      paired: 'certain' as const,
      submittedAtMs: 5,
    };
    const records = dated(
      { kind: 'intent', uploads: uploads('A') },
      { kind: 'outcome', outcomes: [outcome] },
      {
        kind: 'outcome',
        outcomes: [{ index: 0, kind: 'set-apart', reason: { code: 'x', text: 'x', fix: 'x' } }],
      },
      { kind: 'intent', uploads: uploads('B') },
    );
    expect(foldJournal(records)[0]).toMatchObject({ uploadId: 'A', outcome });
  });

  test('takes the file upload that was opened last', () => {
    const file = (id: string, openedAtMs: number) => ({ index: 3, fileUploadId: id as never, openedAtMs });
    const records = dated(
      { kind: 'transferred', files: [file('new', 20)] },
      { kind: 'transferred', files: [file('old', 10)] },
    );
    expect(foldJournal(records)).toEqual([{ index: 3, fileUploadId: 'new', openedAtMs: 20 }]);
  });

  test('does not depend on the order in which records are read', () => {
    const id = fc.constantFrom('A', 'B', 'C');
    const record: fc.Arbitrary<JournalRecord> = fc
      .tuple(
        fc.constantFrom('created' as const, 'completed' as const, 'intent' as const),
        fc.array(id, { maxLength: 3 }),
      )
      .map(([kind, ids]) => ({ kind, uploads: uploads(...ids) }));
    const records = fc
      .array(fc.tuple(fc.nat(5), record), { maxLength: 12 })
      .map(list => list.map(([atMs, one], index) => ({ atMs, name: `r${index}`, record: one })));
    fc.assert(
      fc.property(
        records.chain(list =>
          fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
        ),
        ([list, shuffled]) => {
          expect(foldJournal(shuffled)).toEqual(foldJournal(list));
        },
      ),
    );
  });
});
